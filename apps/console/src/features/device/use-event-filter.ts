import { type HistoryFilter, recordedKinds } from '@hilltop/contract';
import { useMemo } from 'react';
import type { LogTimes } from '../../components/live-log/log-filters.tsx';
import { partsOf, timesOf, useAddressFilter } from '../../components/live-log/use-address-filter.ts';

/** The filter of events as it is in the address: `?kind=up,error&port=10&gateway=…&q=…&last=24h`. */
export interface EventFilterText extends LogTimes {
  readonly kind: string;
  readonly port: string;
  readonly gateway: string;
  readonly q: string;
}

const empty: EventFilterText = { kind: '', port: '', gateway: '', q: '', last: '', from: '', to: '' };

/** What is wrong with a list of FPorts; null when it can be used. */
export const portsProblem = (list: string): string | null =>
  partsOf(list).every((port) => /^\d{1,3}$/.test(port) && Number(port) <= 255)
    ? null
    : 'Numbers from 0 to 255, separated by commas';

export const gatewayProblem = (id: string): string | null =>
  id === '' || /^[0-9a-f]{16}$/i.test(id) ? null : '16 hexadecimal digits';

/** `lastMs` is the time before each read. */
export type EventFilter = HistoryFilter & { readonly lastMs?: number | undefined };

/** Parts of an address that are no filter are ignored. */
function filterOf({ kind, port, gateway, q, last, from, to }: EventFilterText): EventFilter {
  const kinds = partsOf(kind).filter((one) => (recordedKinds as readonly string[]).includes(one));
  return {
    // The log shows what integrations get.
    kinds: kinds.length > 0 ? kinds : recordedKinds,
    ...(port !== '' && portsProblem(port) === null && { fPorts: partsOf(port).map(Number) }),
    ...(gateway !== '' && gatewayProblem(gateway) === null && { gatewayID: gateway.toLowerCase() }),
    ...(q !== '' && { text: q.slice(0, 100) }),
    ...timesOf({ last, from, to }),
  };
}

/** The filter of the log of a device, stored in the address. It stays the same object while the address does. */
export function useEventFilter() {
  const { written, ...address } = useAddressFilter(empty);
  const filter = useMemo(() => filterOf(JSON.parse(written) as EventFilterText), [written]);
  return { ...address, filter };
}
