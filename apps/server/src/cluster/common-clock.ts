import type { Clock } from '@hilltop/network-server';
import type { Cluster } from './cluster.ts';

/** The time of the database, which is the same for all instances however wrong the clock of one machine is. */
export function commonClock(clock: Clock, cluster: Pick<Cluster, 'isAlone' | 'clockOffMs'>): Clock {
  if (cluster.isAlone) return clock;
  return {
    now: () => new Date(clock.now().getTime() + cluster.clockOffMs()),
    monotonicMs: () => clock.monotonicMs(),
    after: (ms, work) => clock.after(ms, work),
  };
}
