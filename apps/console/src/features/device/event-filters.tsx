import { recordedKinds } from '@hilltop/contract';
import { KindFilter, LogFilters, TextFilter, TimeFilter } from '../../components/live-log/log-filters.tsx';
import { gatewayProblem, portsProblem, type useEventFilter } from './use-event-filter.ts';

/** The filter of a log of events. */
export function EventFilters({ text, change, clear }: ReturnType<typeof useEventFilter>) {
  const { kind, port, gateway, q, last, from, to } = text;
  return (
    <LogFilters onClear={clear}>
      <KindFilter
        kinds={recordedKinds}
        chosen={kind === '' ? [] : kind.split(',')}
        onChoose={(kinds) => change({ kind: kinds.join(',') })}
      />
      <TextFilter
        label="FPort"
        width={6}
        value={port}
        problem={portsProblem}
        onChange={(next) => change({ port: next })}
      />
      <TextFilter
        label="Gateway EUI"
        width={16}
        value={gateway}
        problem={gatewayProblem}
        onChange={(next) => change({ gateway: next })}
      />
      <TextFilter label="Text or hex bytes" width={18} value={q} onChange={(next) => change({ q: next })} />
      <TimeFilter last={last} from={from} to={to} onChange={change} />
    </LogFilters>
  );
}
