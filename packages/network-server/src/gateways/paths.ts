import type { gw } from '@hilltop/protobuf';

/** How a downlink reaches one gateway; answers false when there is no way at this moment. */
export type Send = (frame: gw.DownlinkFrame) => boolean;

/** Which link (Semtech UDP, one day Basics Station and MQTT) leads to which gateway. Shared by all network servers. */
export interface GatewayPaths {
  open(gatewayID: string, send: Send): void;
  /** Does nothing when another link has opened a path to this gateway meanwhile. */
  close(gatewayID: string, send: Send): void;
  has(gatewayID: string): boolean;
  send(gatewayID: string, frame: gw.DownlinkFrame): boolean;
}

export function createGatewayPaths(): GatewayPaths {
  const paths = new Map<string, Send>();
  return {
    open(gatewayID, send) {
      paths.set(gatewayID, send);
    },
    close(gatewayID, send) {
      if (paths.get(gatewayID) === send) paths.delete(gatewayID);
    },
    has: (gatewayID) => paths.has(gatewayID),
    send(gatewayID, frame) {
      return paths.get(gatewayID)?.(frame) ?? false;
    },
  };
}
