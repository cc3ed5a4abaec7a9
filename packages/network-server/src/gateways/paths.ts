import type { gw } from '@hilltop/protobuf';

export type LinkKind = 'semtech-udp' | 'basics-station' | 'mqtt' | 'relay';

/** The way to one gateway, for as long as a link has it. */
export interface GatewayPath {
  link: LinkKind;
  /** The gateway proved who it is, by certificate or password. */
  isProven: boolean;
  /** Answers false when there is no way at this moment. */
  send(frame: gw.DownlinkFrame): boolean;
  /**
   * Gives the gateway the channels and the interval of its profile; left out where the protocol cannot. Called with each
   * report that names another version.
   */
  configure?(configuration: gw.GatewayConfiguration): void;
}

/** Which link leads to which gateway. Shared by all links and network servers. */
export interface GatewayPaths {
  /**
   * `false`: another link has the gateway. It keeps it until it closes its path, unless only the new one is proven: who
   * merely knows an EUI takes no gateway away from whoever proved to be it. A link replaces its own path at will, and a
   * relay makes room for the gateway it is called as.
   */
  open(gatewayID: string, path: GatewayPath): boolean;
  /** Does nothing when another path was opened to this gateway meanwhile. */
  close(gatewayID: string, path: GatewayPath): void;
  of(gatewayID: string): GatewayPath | undefined;
  has(gatewayID: string): boolean;
  send(gatewayID: string, frame: gw.DownlinkFrame): boolean;
}

export function createGatewayPaths(): GatewayPaths {
  const paths = new Map<string, GatewayPath>();
  return {
    open(gatewayID, path) {
      const held = paths.get(gatewayID);
      const isOther = held && held.link !== path.link && held.link !== 'relay';
      if (isOther && (held.isProven || !path.isProven)) return false;
      paths.set(gatewayID, path);
      return true;
    },
    close(gatewayID, path) {
      if (paths.get(gatewayID) === path) paths.delete(gatewayID);
    },
    of: (gatewayID) => paths.get(gatewayID),
    has: (gatewayID) => paths.has(gatewayID),
    send(gatewayID, frame) {
      return paths.get(gatewayID)?.send(frame) ?? false;
    },
  };
}
