import type { Version } from '@hilltop/gateway-protocols';
import type { Clock } from '../surroundings.ts';

/** Where a gateway's downlinks go: the source of its PULL_DATA. */
export interface PullPath {
  address: string;
  port: number;
  version: Version;
  lastPullAt: number;
}

export const pullPathAliveMs = 60_000;

/**
 * Semtech UDP knows no passwords: whoever sends PULL_DATA with a gateway's EUI would get its downlinks. So the first
 * source keeps the path for as long as it keeps pulling; another one can take over only after 60 s of silence.
 */
export function createPullPaths(clock: Clock, lost: (gatewayID: string) => void) {
  const paths = new Map<string, PullPath>();
  const isAlive = (path: PullPath) => clock.monotonicMs() - path.lastPullAt < pullPathAliveMs;

  return {
    /** `new` the path was opened, `same` refreshed, `held` another source has it. */
    pull(gatewayID: string, source: Omit<PullPath, 'lastPullAt'>): 'new' | 'same' | 'held' {
      const path = paths.get(gatewayID);
      const isSame = path?.address === source.address && path.port === source.port;
      if (path && !isSame && isAlive(path)) return 'held';
      paths.set(gatewayID, { ...source, lastPullAt: clock.monotonicMs() });
      return path && isSame ? 'same' : 'new';
    },
    of(gatewayID: string): PullPath | null {
      const path = paths.get(gatewayID);
      return path && isAlive(path) ? path : null;
    },
    /** Forgets the silent ones and reports each. */
    sweep(): void {
      for (const [gatewayID, path] of paths) {
        if (isAlive(path)) continue;
        paths.delete(gatewayID);
        lost(gatewayID);
      }
    },
  };
}
