import { dataRateOf } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import { modulationOfUplink } from '../radio/modulation.ts';
import type { Reception, Uplink } from '../radio/uplink.ts';
import type { CollectedUplink } from './collector.ts';
import type { Dropped } from './decision.ts';
import { showGatewayFrame } from './gateway-frame-log.ts';
import { receptionOf } from './reception.ts';

/** Adds stored data of the gateways to their reports, best reception first, and determines the data rate. */
export async function prepareUplink(network: Network, collected: CollectedUplink): Promise<Uplink | Dropped> {
  const { phyPayload, txInfo } = collected;
  const receptions: Reception[] = [];
  for (const rxInfo of collected.rxInfo) {
    const reception = await receptionOf(network, rxInfo);
    if (reception) receptions.push(reception);
  }
  receptions.sort((a, b) => b.rxInfo.loRaSNR - a.rxInfo.loRaSNR || b.rxInfo.rssi - a.rxInfo.rssi);
  if (receptions.length === 0) return { dropped: 'unknown-gateway' };

  for (const { rxInfo } of receptions) showGatewayFrame(network, { phyPayload, txInfo }, rxInfo);
  const whole = receptions.filter(({ rxInfo }) => rxInfo.crcStatus === 'CRC_OK');
  if (whole.length === 0) return { dropped: 'bad-crc' };
  const modulation = modulationOfUplink(txInfo);
  const dr = modulation && dataRateOf(network.region, modulation);
  if (dr === null) return { dropped: 'unknown-data-rate' };
  const { isTooLateToAnswer, receivedAt } = collected;
  return { phyPayload, txInfo, receptions: whole, dr, isTooLateToAnswer, receivedAt };
}
