import { type HistoryFilter, recordedKinds } from '@hilltop/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type LogTimes, lastTimes } from '../../components/live-log/log-filters.tsx';

/** The filter of events as it is in the address: `?kind=up,error&port=10&gateway=…&q=…&last=24h`. */
export interface EventFilterText extends LogTimes {
  readonly kind: string;
  readonly port: string;
  readonly gateway: string;
  readonly q: string;
}

const empty: EventFilterText = { kind: '', port: '', gateway: '', q: '', last: '', from: '', to: '' };

const partsOf = (list: string) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** What is wrong with a list of FPorts; null when it can be used. */
export const portsProblem = (list: string): string | null =>
  partsOf(list).every((port) => /^\d{1,3}$/.test(port) && Number(port) <= 255)
    ? null
    : 'Numbers from 0 to 255, separated by commas';

export const gatewayProblem = (id: string): string | null =>
  id === '' || /^[0-9a-f]{16}$/i.test(id) ? null : '16 hexadecimal digits';

const isTime = (at: string) => !Number.isNaN(Date.parse(at));

/** `lastMs` is the time before each read. */
export type EventFilter = HistoryFilter & { readonly lastMs?: number | undefined };

/** The filter at this moment. */
export const filterNow = ({ lastMs, ...filter }: EventFilter): HistoryFilter =>
  lastMs ? { ...filter, start: new Date(Date.now() - lastMs).toISOString() } : filter;

/** Parts of an address that are no filter are ignored. */
function filterOf({ kind, port, gateway, q, last, from, to }: EventFilterText): EventFilter {
  const kinds = partsOf(kind).filter((one) => (recordedKinds as readonly string[]).includes(one));
  const lastMs = lastTimes[last];
  return {
    // The log shows what integrations get.
    kinds: kinds.length > 0 ? kinds : recordedKinds,
    ...(port !== '' && portsProblem(port) === null && { fPorts: partsOf(port).map(Number) }),
    ...(gateway !== '' && gatewayProblem(gateway) === null && { gatewayID: gateway.toLowerCase() }),
    ...(q !== '' && { text: q.slice(0, 100) }),
    ...(lastMs ? { lastMs } : { ...(isTime(from) && { start: from }), ...(isTime(to) && { end: to }) }),
  };
}

/** The filter of the log of a device, stored in the address. It stays the same object while the address does. */
export function useEventFilter() {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const known = Object.keys(empty) as (keyof EventFilterText)[];
  const text = { ...empty, ...Object.fromEntries(known.map((name) => [name, address[name] ?? ''])) };
  const written = JSON.stringify(text);
  const filter = useMemo(() => filterOf(JSON.parse(written) as EventFilterText), [written]);
  const change = (next: Partial<EventFilterText>) => {
    const changed = Object.entries({ ...text, ...next }).map(([name, value]) => [name, value || undefined]);
    // A link to one event shows its surroundings, whatever they are.
    void navigate({ to: '.', replace: true, search: { ...address, ...Object.fromEntries(changed), event: undefined } });
  };
  return {
    text,
    filter,
    change,
    /** Undefined when no filter is set. */
    clear: written === JSON.stringify(empty) ? undefined : () => change(empty),
  };
}
