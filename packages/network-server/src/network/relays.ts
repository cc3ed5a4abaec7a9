import type { gw } from '@hilltop/protobuf';
import type { GatewayPath, GatewayPaths } from '../gateways/paths.ts';

/** Relays that wait for an answer: to the devices they heard they are gateways, until they listen themselves. */
export interface Relays {
  /** From now on the relay gets the next downlink for a device that it received. */
  open(devEUI: string): void;
  /** The downlink that the relay shall forward, if any. From now on it is no gateway. */
  take(devEUI: string): gw.DownlinkFrame | null;
}

export function createRelays(gateways: GatewayPaths): Relays {
  const opened = new Map<string, { path: GatewayPath; kept: gw.DownlinkFrame | null }>();
  return {
    open(devEUI) {
      if (opened.has(devEUI)) return;
      const path: GatewayPath = {
        link: 'relay',
        isProven: false,
        send(frame) {
          if (relay.kept) return false;
          relay.kept = frame;
          return true;
        },
      };
      const relay: { path: GatewayPath; kept: gw.DownlinkFrame | null } = { path, kept: null };
      if (gateways.open(devEUI, path)) opened.set(devEUI, relay);
    },
    take(devEUI) {
      const relay = opened.get(devEUI);
      if (!relay) return null;
      opened.delete(devEUI);
      gateways.close(devEUI, relay.path);
      return relay.kept;
    },
  };
}
