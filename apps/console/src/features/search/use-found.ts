import type { GlobalSearchResult } from '@hilltop/contract';
import { useDebouncedValue } from '@mantine/hooks';
import { type Icon, IconAntenna, IconAppWindow, IconBuilding, IconCpu, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { targetOf } from './search-target.ts';

/** A page to open. */
export interface Destination {
  key: string;
  label: string;
  /** Distinguishes it from others of the same name. */
  detail?: string;
  Icon: Icon;
  to: string;
  search?: Record<string, string>;
}

const icons: Record<string, Icon> = {
  organization: IconBuilding,
  application: IconAppWindow,
  gateway: IconAntenna,
  device: IconCpu,
};
const mostFound = 12;

/** Search results while typing, best first. Until the server has responded, earlier results that still match. */
export function useFound(text: string) {
  const search = text.trim();
  const [settled] = useDebouncedValue(search, 200);
  const { data, isFetching, isPlaceholderData, error } = useQuery({
    ...query('internal', 'globalSearch', { search: settled, limit: mostFound, offset: 0 }),
    enabled: settled !== '' && search !== '',
    placeholderData: keepPreviousData,
  });
  const isPending = search !== '' && (settled !== search || isFetching);
  const isOlder = settled !== search || isPlaceholderData;
  const all = search === '' ? [] : (data?.result ?? []).map(toDestination);
  const fits = ({ label, detail = '' }: Destination) =>
    `${label} ${detail}`.toLowerCase().includes(search.toLowerCase());
  return { found: isOlder ? all.filter(fits) : all, isPending, error };
}

function toDestination(found: GlobalSearchResult): Destination {
  const { to, name, id } = targetOf(found);
  const { kind, organizationName, applicationName } = found;
  const owner = kind === 'organization' ? [] : [organizationName, ...(kind === 'device' ? [applicationName] : [])];
  return {
    key: `${found.kind} ${id}`,
    label: name,
    detail: [kind, ...(owner.length > 0 ? [owner.join(' / ')] : []), id].join(' · '),
    Icon: icons[found.kind] ?? IconSearch,
    to,
  };
}

/** The page with all search results. */
export const searchPage = (search: string): Destination => ({
  key: 'search',
  label: `Search for "${search}"`,
  Icon: IconSearch,
  to: paths.search(),
  search: { search },
});
