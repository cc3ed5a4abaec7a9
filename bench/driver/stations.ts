import { startStation, stationMessage } from '@hilltop/simulator';
import type { Gateways } from './gateways.ts';

/**
 * Basics Stations instead of packet forwarders. Their protocol has no acknowledgements: an uplink counts as acknowledged
 * when it is written to the connection.
 */
export async function openStations(port: number, gatewayIDs: readonly string[]): Promise<Gateways> {
  const stations = gatewayIDs.map((gatewayID) => startStation({ server: `ws://127.0.0.1:${port}`, gatewayID }));
  await Promise.all(stations.map((station) => station.online()));
  const stationOf = (index: number) => stations[index % stations.length]!;
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

  const gateways: Gateways = {
    prepare: (index, { data, freq, rssi, lsnr = 0, datr }) => {
      const dr = 12 - Number(/^SF(\d+)BW125$/.exec(String(datr))?.[1]);
      const heard = { dr, frequency: Math.round(freq * 1e6), rssi, snr: lsnr, xtime: BigInt(index) };
      return encoder.encode(stationMessage(Uint8Array.fromBase64(data), heard));
    },
    send: (index, message) => {
      stationOf(index).sendRaw(decoder.decode(message));
      gateways.onAcknowledged(index);
    },
    onAcknowledged: () => {},
    onDownlink: () => {},
    [Symbol.dispose]: () => {
      for (const station of stations) void station.stop();
    },
  };
  for (const station of stations) station.onDownlink(({ txpk }) => gateways.onDownlink(txpk));
  return gateways;
}
