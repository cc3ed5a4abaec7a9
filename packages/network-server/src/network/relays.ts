import type { gw } from '@hilltop/protobuf';
import type { GatewayPath, GatewayPaths } from '../gateways/paths.ts';

/**
 * Relays that wait for an answer. To the devices behind them they are gateways, until they listen for their own
 * downlink.
 */
export interface Relays {
  /** The relay gets the next downlink for a device that it received. */
  open(devEUI: string): void;
  /** The downlink that the relay should forward, if any. Afterwards it is no gateway any more. */
  take(devEUI: string): gw.DownlinkFrame | null;
}

export function createRelays(gateways: GatewayPaths): Relays {
  const opened = new Map<string, { path: GatewayPath; downlink: gw.DownlinkFrame | null }>();
  return {
    open(devEUI) {
      if (opened.has(devEUI)) return;
      const path: GatewayPath = {
        link: 'relay',
        isProven: false,
        send(frame) {
          if (relay.downlink) return false;
          relay.downlink = frame;
          return true;
        },
      };
      const relay: { path: GatewayPath; downlink: gw.DownlinkFrame | null } = { path, downlink: null };
      if (gateways.open(devEUI, path)) opened.set(devEUI, relay);
    },
    take(devEUI) {
      const relay = opened.get(devEUI);
      if (!relay) return null;
      opened.delete(devEUI);
      gateways.close(devEUI, relay.path);
      return relay.downlink;
    },
  };
}
