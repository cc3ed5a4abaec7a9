/** Checks values of well-formed messages. @throws PacketError from each. */
import type { gw } from '@hilltop/protobuf';
import { PacketError } from '../packet-error.ts';
import {
  isFrequency,
  isLevel,
  isLoRaDataRate,
  longestFrame,
  lrFHSSCodeRate,
  nominalFrequency,
  reportedCodeRate,
} from '../radio.ts';
import { limitedMetaData, validLocation } from '../reported.ts';

/** The limit of bytes that a gateway gets back with a downlink; some gateways send a whole object. */
const longestContext = 256;
const idLength = 16;

export function checkedUplink({ phyPayload, txInfo, rxInfo }: gw.UplinkFrame): gw.UplinkFrame {
  if (phyPayload.length === 0 || phyPayload.length > longestFrame)
    throw refusal('phyPayload', `have 1 to ${longestFrame} bytes`);
  if (!txInfo || !isFrequency(txInfo.frequency)) throw refusal('txInfo.frequency', 'be a frequency of LoRaWAN in Hz');
  if (!rxInfo) throw refusal('rxInfo', 'be there');
  if (rxInfo.context.length > longestContext) throw refusal('rxInfo.context', `have at most ${longestContext} bytes`);
  if (!isLevel(rxInfo.loRaSNR)) throw refusal('rxInfo.loRaSNR', 'be what a radio can measure');
  if (!isLevel(rxInfo.rssi)) throw refusal('rxInfo.rssi', 'be what a radio can measure');
  const uplinkID = rxInfo.uplinkID.length === idLength ? rxInfo.uplinkID : new Uint8Array();
  // Bridges without this field forward only frames with a valid CRC.
  const crcStatus = rxInfo.crcStatus === 'NO_CRC' ? 'CRC_OK' : rxInfo.crcStatus;
  const gpsMs = rxInfo.timeSinceGPSEpoch;
  const timeSinceGPSEpoch = gpsMs !== null && gpsMs >= 0 && gpsMs <= Number.MAX_SAFE_INTEGER ? gpsMs : null;
  const checked = { ...rxInfo, uplinkID, crcStatus, timeSinceGPSEpoch };
  const frequency = nominalFrequency(txInfo.frequency);
  return { phyPayload, txInfo: { ...checkedModulation(txInfo), frequency }, rxInfo: checked };
}

function checkedModulation(txInfo: gw.UplinkTXInfo): gw.UplinkTXInfo {
  const { loRaModulationInfo: loRa, fskModulationInfo: fsk, lrFHSSModulationInfo: lrFHSS } = txInfo;
  if (loRa) {
    if (!isLoRaDataRate(loRa.spreadingFactor, loRa.bandwidth))
      throw refusal('txInfo.loRaModulationInfo', 'be a modulation of LoRa');
    const codeRate = reportedCodeRate(loRa.codeRate);
    return { ...txInfo, modulation: 'LORA', loRaModulationInfo: { ...loRa, codeRate } };
  }
  if (fsk) return { ...txInfo, modulation: 'FSK' };
  const codeRate = lrFHSS && lrFHSSCodeRate(lrFHSS.codeRate);
  if (!codeRate) throw refusal('txInfo', 'have a modulation');
  return { ...txInfo, modulation: 'LR_FHSS', lrFHSSModulationInfo: { ...lrFHSS, codeRate } };
}

export function checkedStats(stats: gw.GatewayStats): gw.GatewayStats {
  const { location, metaData } = stats;
  const statsID = stats.statsID.length === idLength ? stats.statsID : new Uint8Array();
  return { ...stats, statsID, location: location && validLocation(location), metaData: limitedMetaData(metaData) };
}

function refusal(field: string, what: string): PacketError {
  return new PacketError('field', `${field} must ${what}`, field);
}
