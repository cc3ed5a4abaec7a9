import { dataRateOf, decryptFineTimestamp } from '@hilltop/lorawan';
import { type gw, timestamp } from '@hilltop/protobuf';
import type { Network } from '../network.ts';
import type { GatewayRecord } from '../state/records.ts';
import type { Collected } from './collect.ts';
import type { Dropped } from './decision.ts';
import { showGatewayFrame } from './gateway-frame.ts';
import { modulationOfUplink } from './modulation.ts';
import type { Reception, Uplink } from './uplink.ts';

/** Puts the gateways' own data into what they reported, best reception first, and finds the data-rate. */
export async function prepareUplink(network: Network, collected: Collected): Promise<Uplink | Dropped> {
  const { phyPayload, txInfo } = collected;
  const receptions: Reception[] = [];
  for (const rxInfo of collected.rxInfo) {
    const gatewayID = rxInfo.gatewayID.toHex();
    const gateway = await network.state.get('gateway', gatewayID);
    if (gateway) receptions.push({ gatewayID, gateway, rxInfo: withGatewayData(rxInfo, gateway) });
    else if (network.settings.allowUnknownGateways) receptions.push({ gatewayID, gateway, rxInfo });
  }
  receptions.sort((a, b) => b.rxInfo.loRaSNR - a.rxInfo.loRaSNR || b.rxInfo.rssi - a.rxInfo.rssi);
  if (receptions.length === 0) return { dropped: 'unknown-gateway' };

  for (const { rxInfo } of receptions) showGatewayFrame(network, { phyPayload, txInfo }, rxInfo);
  const whole = receptions.filter(({ rxInfo }) => rxInfo.crcStatus === 'CRC_OK');
  if (whole.length === 0) return { dropped: 'bad-crc' };
  const modulation = modulationOfUplink(txInfo);
  const dr = modulation && dataRateOf(network.region, modulation);
  if (dr === null) return { dropped: 'unknown-data-rate' };
  return { phyPayload, txInfo, receptions: whole, dr };
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
