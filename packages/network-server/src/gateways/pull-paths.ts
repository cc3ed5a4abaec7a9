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
 * address keeps the path for as long as it keeps pulling; another one can take over only after 60 s of silence. The
 * port follows the gateway at once: routers between give it new ones. At most `most` gateways have a path.
 */
export function createPullPaths(clock: Clock, most: number, lost: (gatewayID: string) => void) {
  const paths = new Map<string, PullPath>();
  const isAlive = (path: PullPath) => clock.monotonicMs() - path.lastPullAt < pullPathAliveMs;

  return {
    /** `new` the path was opened, `same` refreshed, `held` another address has it, `full` too many gateways pull. */
    pull(gatewayID: string, source: Omit<PullPath, 'lastPullAt'>): 'new' | 'same' | 'held' | 'full' {
      const path = paths.get(gatewayID);
      if (!path && paths.size >= most) return 'full';
      const isSame = path?.address === source.address;
      if (path && !isSame && isAlive(path)) return 'held';
      paths.set(gatewayID, { ...source, lastPullAt: clock.monotonicMs() });
      return path && isSame ? 'same' : 'new';
    },
    /** Reports it as lost, if it had one. */
    drop(gatewayID: string): void {
      if (paths.delete(gatewayID)) lost(gatewayID);
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
