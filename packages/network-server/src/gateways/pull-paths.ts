import type { Version } from '@hilltop/gateway-protocols';
import type { Clock } from '../platform/runtime.ts';

/** The destination of a gateway's downlinks: the source of its PULL_DATA. */
export interface PullPath {
  address: string;
  port: number;
  version: Version;
  lastPullAt: number;
  /** When an unconfirmed downlink was sent; null after a PULL_DATA. */
  unconfirmedAt: number | null;
  /** The address that lost the path because it was silent: it gets the path back when it pulls again in time. */
  former: { address: string; until: number } | null;
}

type PullSource = Pick<PullPath, 'address' | 'port' | 'version'>;

const pullPathAliveMs = 60_000;
/** Forwarders pull every 5 to 10 s. */
const silentAfterMs = 15_000;
/** Forwarders confirm a downlink when they get it. */
const confirmedWithinMs = 2000;

/**
 * Semtech UDP has no passwords: anybody could get the downlinks of a gateway by sending PULL_DATA with its EUI. So the
 * first address keeps the path as long as it pulls. Another address takes over when the first one is silent: it has not
 * pulled for 15 s, or has neither confirmed a downlink nor pulled since. Another port of the same address takes over at
 * once, because routers assign new ports. At most `most` gateways have a path.
 */
export function createPullPaths(clock: Clock, most: number, lost: (gatewayID: string) => void) {
  const paths = new Map<string, PullPath>();
  const passed = (at: number) => clock.monotonicMs() - at;
  const isAlive = (path: PullPath) => passed(path.lastPullAt) < pullPathAliveMs;
  const isSilent = ({ lastPullAt, unconfirmedAt }: PullPath) =>
    passed(lastPullAt) >= silentAfterMs || (unconfirmedAt !== null && passed(unconfirmedAt) >= confirmedWithinMs);
  const isBack = ({ former }: PullPath, { address }: PullSource) =>
    former?.address === address && clock.monotonicMs() < former.until;

  function formerOf(path: PullPath | undefined, source: PullSource): PullPath['former'] {
    if (!path) return null;
    if (path.address === source.address) return path.former;
    // The address that took the path over cannot get it back in the same way.
    return isBack(path, source) ? null : { address: path.address, until: clock.monotonicMs() + pullPathAliveMs };
  }

  return {
    /**
     * `new` the path was opened, `same` refreshed, `moved` refreshed from another port, `held` another address has it,
     * `full` too many gateways pull.
     */
    pull(gatewayID: string, source: PullSource): 'new' | 'same' | 'moved' | 'held' | 'full' {
      const path = paths.get(gatewayID);
      if (!path && paths.size >= most) return 'full';
      const isSame = path?.address === source.address;
      if (path && !isSame && !isSilent(path) && !isBack(path, source)) return 'held';
      const former = formerOf(path, source);
      paths.set(gatewayID, { ...source, lastPullAt: clock.monotonicMs(), unconfirmedAt: null, former });
      if (!path || !isSame) return 'new';
      return path.port === source.port ? 'same' : 'moved';
    },
    /** Drops the path of a gateway and reports it as lost, if it had one. */
    drop(gatewayID: string): void {
      if (paths.delete(gatewayID)) lost(gatewayID);
    },
    of(gatewayID: string): PullPath | null {
      const path = paths.get(gatewayID);
      return path && isAlive(path) ? path : null;
    },
    /** Whether another address, or another link, may have the gateway now. */
    isSilent(gatewayID: string): boolean {
      const path = paths.get(gatewayID);
      return !path || isSilent(path);
    },
    /** Call it when a downlink was sent that the gateway has to confirm. */
    expectConfirmation(gatewayID: string): void {
      const path = paths.get(gatewayID);
      if (path) path.unconfirmedAt ??= clock.monotonicMs();
    },
    confirmed(gatewayID: string): void {
      const path = paths.get(gatewayID);
      if (path) path.unconfirmedAt = null;
    },
    /** Drops silent paths and reports each. */
    sweep(): void {
      for (const [gatewayID, path] of paths) {
        if (isAlive(path)) continue;
        paths.delete(gatewayID);
        lost(gatewayID);
      }
    },
  };
}
