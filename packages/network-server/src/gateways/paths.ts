import type { gw } from '@hilltop/protobuf';

export type LinkKind = 'semtech-udp' | 'basics-station' | 'mqtt' | 'relay';

/** The path to one gateway, for as long as a link has it. */
export interface GatewayPath {
  link: LinkKind;
  /** The gateway has authenticated, by certificate or password. */
  isProven: boolean;
  /** The address that the path was opened from. Messages from this address count as those of the gateway. */
  readonly source?: string | undefined;
  /** The address of a connected gateway, for people; of other links the source is shown. */
  readonly address?: string | undefined;
  /**
   * Whether the gateway has been silent for so long, or has answered so little, that it may use another link now.
   * Absent: never, while the path is open.
   */
  isSilent?(): boolean;
  /** Returns false when the gateway cannot be reached. `unsent` is called when that becomes known only later. */
  send(frame: gw.DownlinkFrame, unsent?: () => void): boolean;
  /**
   * Configures the channels and the report interval of the gateway; absent where the protocol cannot. Called with each
   * report of another version.
   */
  configure?(configuration: gw.GatewayConfiguration): void;
}

/** The paths of links in peers, and the downlinks between instances. */
export interface PeerGatewayPaths {
  of(gatewayID: string): GatewayPath | undefined;
  /** Announces to peers that this path leads to the gateway, until it is closed or taken over. */
  opened(gatewayID: string, path: GatewayPath): void;
  closed(gatewayID: string, path: GatewayPath): void;
  /** Calls `lost` with gateways to which another process has opened a path. */
  onTaken(lost: (gatewayID: string) => void): void;
  /** Calls `opened` with gateways that another process can reach now. */
  onOpened(opened: (gatewayID: string) => void): void;
  /** Passes the report of a gateway on a downlink to the instance that sent it; false: this instance did. */
  answered(ack: gw.DownlinkTXAck): boolean;
}

/** Which link leads to which gateway. Shared by all links and network servers. */
export interface GatewayPaths {
  /**
   * `false`: another link has the gateway. It keeps its path until it closes it, unless only the new path is proven: a
   * sender that merely knows an EUI does not take a gateway over from one with proof. A silent path without proof is
   * replaced, until its link opens it again. A link may replace its own path, and the path of a relay is replaced by
   * that of a gateway with its EUI.
   */
  open(gatewayID: string, path: GatewayPath): boolean;
  /** Does nothing when another path was opened to this gateway meanwhile. */
  close(gatewayID: string, path: GatewayPath): void;
  of(gatewayID: string): GatewayPath | undefined;
  has(gatewayID: string): boolean;
  /** The number of gateways that links of this instance have, without those behind relays. */
  count(): number;
  send(gatewayID: string, frame: gw.DownlinkFrame, unsent?: () => void): boolean;
  /** Calls `listener` with each gateway that had no path before, until the returned function is called. */
  onOpened(listener: (gatewayID: string) => void): () => void;
  /** Whether a peer sent the downlink of a report; the peer has the report now. */
  isAnswerForOthers(ack: gw.DownlinkTXAck): boolean;
}

/** With `peers` also the gateways of peers. */
export function createGatewayPaths(peers?: PeerGatewayPaths): GatewayPaths {
  const paths = new Map<string, GatewayPath>();
  const of = (gatewayID: string) => paths.get(gatewayID) ?? peers?.of(gatewayID);
  /** For each path: the silent one of another link that it replaced. */
  const silentBefore = new WeakMap<GatewayPath, GatewayPath>();
  const listeners = new Set<(gatewayID: string) => void>();
  const notifyOpened = (gatewayID: string) => {
    for (const listener of listeners) listener(gatewayID);
  };
  peers?.onTaken((gatewayID) => paths.delete(gatewayID));
  peers?.onOpened((gatewayID) => !paths.has(gatewayID) && notifyOpened(gatewayID));
  return {
    open(gatewayID, path) {
      const held = paths.get(gatewayID);
      const isOther = held && held.link !== path.link && held.link !== 'relay';
      const isSilent = held?.isSilent?.() === true;
      const isBack = held !== undefined && silentBefore.get(held) === path;
      if (isOther && (held.isProven || !(path.isProven || isSilent || isBack))) return false;
      const peerPath = held ? undefined : peers?.of(gatewayID);
      if (peerPath && !mayTakeOver(peerPath, path)) return false;
      if (isOther && isSilent && !isBack) silentBefore.set(path, held);
      paths.set(gatewayID, path);
      if (path.link !== 'relay') peers?.opened(gatewayID, path);
      if (!held && !peerPath) notifyOpened(gatewayID);
      return true;
    },
    close(gatewayID, path) {
      if (paths.get(gatewayID) === path) paths.delete(gatewayID);
      peers?.closed(gatewayID, path);
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
    isAnswerForOthers: (ack) => peers?.answered(ack) ?? false,
  };
}

/**
 * Whether a gateway may move from a peer to this instance. A path with proof replaces any path of a peer; one without
 * proof replaces only a path without proof of the same link and address. Otherwise the peer must first close its path,
 * because this instance does not know whether that is silent.
 */
function mayTakeOver(peerPath: GatewayPath, path: GatewayPath): boolean {
  if (path.link === 'relay') return false;
  if (path.isProven !== peerPath.isProven) return path.isProven;
  return path.isProven || (path.link === peerPath.link && path.source === peerPath.source);
}
