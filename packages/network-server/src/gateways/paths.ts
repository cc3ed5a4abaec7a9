import type { gw } from '@hilltop/protobuf';

export type LinkKind = 'semtech-udp' | 'basics-station' | 'mqtt' | 'relay';

/** The way to one gateway, for as long as a link has it. */
export interface GatewayPath {
  link: LinkKind;
  /** The gateway proved who it is, by certificate or password. */
  isProven: boolean;
  /** The address it was opened from, where whoever sends from there is taken for the gateway. */
  readonly source?: string | undefined;
  /**
   * The link has not heard the gateway for so long, or has had so little answer, that the gateway may have gone to another
   * link. Left out: never, while the path is open.
   */
  isSilent?(): boolean;
  /** Answers false when there is no way at this moment. One that is known only later is told by `unsent`. */
  send(frame: gw.DownlinkFrame, unsent?: () => void): boolean;
  /**
   * Gives the gateway the channels and the interval of its profile; left out where the protocol cannot. Called with each
   * report that names another version.
   */
  configure?(configuration: gw.GatewayConfiguration): void;
}

/** Paths that links of other processes have, and what becomes of downlinks between here and there. */
export interface PathsElsewhere {
  of(gatewayID: string): GatewayPath | undefined;
  /** Tells the others that this path is now the way, for as long as it is not closed or taken. */
  opened(gatewayID: string, path: GatewayPath): void;
  closed(gatewayID: string, path: GatewayPath): void;
  /** `lost` hears of gateways to which another process has opened a path. */
  onTaken(lost: (gatewayID: string) => void): void;
  /** `opened` hears of gateways that another process has come to reach. */
  onOpened(opened: (gatewayID: string) => void): void;
  /** Hands what a gateway says of a downlink to the process that it came from; false: it came from this one. */
  answered(ack: gw.DownlinkTXAck): boolean;
}

/** Which link leads to which gateway. Shared by all links and network servers. */
export interface GatewayPaths {
  /**
   * `false`: another link has the gateway. It keeps it until it closes its path, unless only the new one is proven: who
   * merely knows an EUI takes no gateway away from whoever proved to be it. A silent path without proof gives way, until
   * its link opens it again. A link replaces its own path at will, and a relay makes room for the gateway it is called as.
   */
  open(gatewayID: string, path: GatewayPath): boolean;
  /** Does nothing when another path was opened to this gateway meanwhile. */
  close(gatewayID: string, path: GatewayPath): void;
  of(gatewayID: string): GatewayPath | undefined;
  has(gatewayID: string): boolean;
  /** Gateways that links of this process have, those behind relays left out. */
  count(): number;
  send(gatewayID: string, frame: gw.DownlinkFrame, unsent?: () => void): boolean;
  /** `listener` hears of gateways to which there was no way before, until the answer is called. */
  onOpened(listener: (gatewayID: string) => void): () => void;
  /** Whether what a gateway says of a downlink was for another process, which now has it. */
  isAnswerForOthers(ack: gw.DownlinkTXAck): boolean;
}

/** With `elsewhere` also the gateways that other processes reach. */
export function createGatewayPaths(elsewhere?: PathsElsewhere): GatewayPaths {
  const paths = new Map<string, GatewayPath>();
  const of = (gatewayID: string) => paths.get(gatewayID) ?? elsewhere?.of(gatewayID);
  /** By path: the one of another link that was silent when it was opened. */
  const silentBefore = new WeakMap<GatewayPath, GatewayPath>();
  const listeners = new Set<(gatewayID: string) => void>();
  const tell = (gatewayID: string) => {
    for (const listener of listeners) listener(gatewayID);
  };
  elsewhere?.onTaken((gatewayID) => paths.delete(gatewayID));
  elsewhere?.onOpened((gatewayID) => !paths.has(gatewayID) && tell(gatewayID));
  return {
    open(gatewayID, path) {
      const held = paths.get(gatewayID);
      const isOther = held && held.link !== path.link && held.link !== 'relay';
      const isSilent = held?.isSilent?.() === true;
      const isBack = held !== undefined && silentBefore.get(held) === path;
      if (isOther && (held.isProven || !(path.isProven || isSilent || isBack))) return false;
      const there = held ? undefined : elsewhere?.of(gatewayID);
      if (there && !mayTakeOver(there, path)) return false;
      if (isOther && isSilent && !isBack) silentBefore.set(path, held);
      paths.set(gatewayID, path);
      if (path.link !== 'relay') elsewhere?.opened(gatewayID, path);
      if (!held && !there) tell(gatewayID);
      return true;
    },
    close(gatewayID, path) {
      if (paths.get(gatewayID) === path) paths.delete(gatewayID);
      elsewhere?.closed(gatewayID, path);
    },
    of,
    has: (gatewayID) => of(gatewayID) !== undefined,
    count: () => paths.values().reduce((sum, { link }) => sum + Number(link !== 'relay'), 0),
    send(gatewayID, frame, unsent) {
      return of(gatewayID)?.send(frame, unsent) ?? false;
    },
    onOpened(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isAnswerForOthers: (ack) => elsewhere?.answered(ack) ?? false,
  };
}

/**
 * A gateway that comes to another process: whoever proves to be it, its next connection of the same kind, or the address
 * that the path leads to already. Anybody else waits until that one is silent.
 */
function mayTakeOver(there: GatewayPath, path: GatewayPath): boolean {
  if (path.link === 'relay') return false;
  if (path.isProven !== there.isProven) return path.isProven;
  return path.isProven || (path.link === there.link && path.source === there.source);
}
