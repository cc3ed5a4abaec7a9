import { useNavigate, useSearch } from '@tanstack/react-router';
import { startDownload } from '../../components/download/start-download.ts';
import { filterNow } from '../../components/live-log/use-address-filter.ts';

/** The row that the address of a log names, and the return to the newest rows. */
export function useShownRow() {
  const { event }: { event?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  return { event, showNewest: () => void navigate({ to: '.', replace: true, search: {} }) };
}

/** The address of a row in the log of this page. */
export const linkToRow = (streamID: string): string =>
  `${location.origin}${location.pathname}?${new URLSearchParams({ event: streamID })}`;

/** The files of all rows that match. */
export const downloadsOf = (kind: 'HISTORY' | 'FRAMES', devEUI: string, filter: Parameters<typeof filterNow>[0]) =>
  (['NDJSON', 'CSV'] as const).map((format) => ({
    label: `All that match (${format})`,
    start: () => void startDownload(kind, format, { devEUI, ...filterNow(filter) }),
  }));
