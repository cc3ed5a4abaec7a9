import { type FrameFilter, frameKinds, matchesFrames } from '@hilltop/contract';
import { useMemo } from 'react';
import { partsOf, timesOf, useAddressFilter } from '../live-log/use-address-filter.ts';

const empty = { kind: '', q: '', last: '', from: '', to: '' };

/** `lastMs` is the time before each read. */
export type FrameLogFilter = FrameFilter & { readonly lastMs?: number | undefined };

/** Parts of an address that are no filter are ignored. */
function filterOf({ kind, q, ...times }: typeof empty): FrameLogFilter {
  const kinds = partsOf(kind).filter((one) => (frameKinds as readonly string[]).includes(one));
  return { kinds, text: q.slice(0, 100), ...timesOf(times) };
}

/** The filter of frames, stored in the address: `?kind=uplink,join-request&q=01020304&last=24h`. */
export function useFrameFilter() {
  const { written, ...address } = useAddressFilter(empty);
  const filter = useMemo(() => filterOf(JSON.parse(written) as typeof empty), [written]);
  const matches = useMemo(() => matchesFrames(filter), [filter]);
  return { ...address, filter, matches };
}
