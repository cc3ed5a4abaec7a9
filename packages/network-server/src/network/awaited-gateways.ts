/** Devices whose downlinks wait until one of their gateways is connected again. */
export interface AwaitedGateways {
  add(devEUI: string, gatewayIDs: readonly string[]): void;
  /** Returns and removes the devices that wait for this gateway. */
  take(gatewayID: string): string[];
}

/** With more devices, the others are served when their due work is due, without a notice. */
const mostDevices = 10_000;

export function createAwaitedGateways(): AwaitedGateways {
  const gateways = new Map<string, readonly string[]>();
  const devices = new Map<string, Set<string>>();

  function forget(devEUI: string): void {
    for (const gatewayID of gateways.get(devEUI) ?? []) {
      const waiting = devices.get(gatewayID);
      waiting?.delete(devEUI);
      if (waiting?.size === 0) devices.delete(gatewayID);
    }
    gateways.delete(devEUI);
  }

  return {
    add(devEUI, gatewayIDs) {
      forget(devEUI);
      const [oldest] = gateways.keys();
      if (gateways.size >= mostDevices && oldest !== undefined) forget(oldest);
      gateways.set(devEUI, gatewayIDs);
      for (const gatewayID of gatewayIDs) {
        const waiting = devices.get(gatewayID) ?? new Set();
        devices.set(gatewayID, waiting.add(devEUI));
      }
    },
    take(gatewayID) {
      const waiting = [...(devices.get(gatewayID) ?? [])];
      for (const devEUI of waiting) forget(devEUI);
      return waiting;
    },
  };
}
