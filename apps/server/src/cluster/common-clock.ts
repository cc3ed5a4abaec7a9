import type { Clock } from '@hilltop/network-server';
import type { Cluster } from './cluster.ts';

/** The clock of the database: all instances use it, so that a wrong clock of one machine has no effect. */
export function commonClock(clock: Clock, cluster: Pick<Cluster, 'isAlone' | 'clockOffMs'>): Clock {
  if (cluster.isAlone) return clock;
  return {
    now: () => new Date(clock.now().getTime() + cluster.clockOffMs()),
    monotonicMs: () => clock.monotonicMs(),
    after: (ms, work) => clock.after(ms, work),
  };
}
