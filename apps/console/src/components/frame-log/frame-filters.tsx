import { KindFilter, LogFilters, TextFilter } from '../live-log/log-filters.tsx';
import { frameGroups } from './frame-kind.ts';
import type { useFrameFilter } from './use-frame-filter.ts';

/** The filter of a log of frames. */
export function FrameFilters({ kind, q, change, clear }: ReturnType<typeof useFrameFilter>) {
  return (
    <LogFilters onClear={clear}>
      <KindFilter
        kinds={frameGroups}
        chosen={kind === '' ? [] : kind.split(',')}
        onChoose={(kinds) => change({ kind: kinds.join(',') })}
      />
      <TextFilter label="DevAddr, EUI or text" width={22} value={q} onChange={(next) => change({ q: next })} />
    </LogFilters>
  );
}
