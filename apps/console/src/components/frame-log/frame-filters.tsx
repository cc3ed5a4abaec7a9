import { frameKinds } from '@hilltop/contract';
import { KindFilter, LogFilters, TextFilter, TimeFilter } from '../live-log/log-filters.tsx';
import type { useFrameFilter } from './use-frame-filter.ts';

type FrameFiltersProps = Pick<ReturnType<typeof useFrameFilter>, 'text' | 'change' | 'clear'> & {
  /** The log has stored frames, also those that were dropped. */
  hasHistory?: boolean;
};

const liveKinds = frameKinds.filter((kind) => kind !== 'dropped');

/** The filter of a log of frames. */
export function FrameFilters({ text, change, clear, hasHistory = false }: FrameFiltersProps) {
  const { kind, q, last, from, to } = text;
  return (
    <LogFilters onClear={clear}>
      <KindFilter
        kinds={hasHistory ? frameKinds : liveKinds}
        chosen={kind === '' ? [] : kind.split(',')}
        onChoose={(kinds) => change({ kind: kinds.join(',') })}
      />
      <TextFilter label="DevAddr, EUI or MAC command" width={28} value={q} onChange={(next) => change({ q: next })} />
      {hasHistory && <TimeFilter last={last} from={from} to={to} onChange={change} />}
    </LogFilters>
  );
}
