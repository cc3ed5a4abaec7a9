import { decryptFineTimestamp } from '@hilltop/lorawan';
import { type gw, timestamp } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import type { Reception } from '../radio/uplink.ts';
import type { GatewayRecord } from '../state/records.ts';

/** A reception with the stored data of its gateway or relay; null for an unknown gateway unless these are allowed. */
export async function receptionOf(network: Network, rxInfo: gw.UplinkRXInfo): Promise<Reception | null> {
  const gatewayID = rxInfo.gatewayID.toHex();
  const gateway = await network.state.get('gateway', gatewayID);
  if (gateway) return { gatewayID, gateway, rxInfo: withGatewayData(rxInfo, gateway) };
  // Links accept no gateway with the EUI of a device, so the device itself has forwarded this frame.
  if ((await network.state.get('device', gatewayID)) !== null) return { gatewayID, gateway, rxInfo, isRelay: true };
  return network.settings.allowUnknownGateways ? { gatewayID, gateway, rxInfo } : null;
}

function withGatewayData(rxInfo: gw.UplinkRXInfo, { location, boards }: GatewayRecord): gw.UplinkRXInfo {
  const located = { ...rxInfo, location };
  const encrypted = rxInfo.encryptedFineTimestamp;
  const board = boards[rxInfo.board];
  if (!encrypted || !board) return located;
  if (!board.fineTimestampKey || !rxInfo.time || encrypted.encryptedNS.length !== 16) {
    const fpgaID = Uint8Array.fromHex(board.fpgaID);
    return { ...located, encryptedFineTimestamp: { ...encrypted, fpgaID } };
  }
  const nanoseconds = decryptFineTimestamp(Uint8Array.fromHex(board.fineTimestampKey), encrypted.encryptedNS);
  const second = Math.floor(rxInfo.time.getTime() / 1000) * 1000;
  const time = timestamp(second + Math.floor(nanoseconds / 1e6), nanoseconds % 1e6);
  const { encryptedFineTimestamp: _encrypted, ...plain } = located;
  return { ...plain, fineTimestampType: 'PLAIN', plainFineTimestamp: { time } };
}
