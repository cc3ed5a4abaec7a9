import type { Reception } from '../radio/uplink.ts';
import type { Receiver } from '../state/session.ts';

/** What a downlink needs to know about each gateway that received the device. */
export function receiversOf(receptions: readonly Reception[]): Receiver[] {
  return receptions.map(({ gatewayID, rxInfo }) => ({
    gatewayID,
    snr: rxInfo.loRaSNR,
    rssi: rxInfo.rssi,
    context: rxInfo.context.toHex(),
    board: rxInfo.board,
    antenna: rxInfo.antenna,
  }));
}
