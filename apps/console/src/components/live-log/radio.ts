import type { DownlinkTXInfo, PartOf, UplinkRXInfo, UplinkTXInfo } from '@hilltop/contract';
import type { WordName } from '../words/words.ts';
import type { Chip } from './log-row.tsx';

/** Transmission parameters: `frequency` in Hz, `bandwidth` in kHz. Other servers may omit members. */
export type TxInfo = PartOf<UplinkTXInfo | DownlinkTXInfo>;
/** The reception at one gateway: RSSI in dBm, SNR in dB. */
export type RxInfo = PartOf<UplinkRXInfo>;

/** The radio fields of a frame. */
export const radioWords: readonly WordName[] = ['dataRate', 'fCnt', 'fPort', 'devAddr', 'rssi', 'snr'];

/** Frequency in MHz, then spreading factor and bandwidth when the modulation is LoRa. */
export function radioChips(txInfo: TxInfo | null | undefined): Chip[] {
  if (!txInfo) return [];
  const chips: Chip[] = txInfo.frequency ? [{ text: `${txInfo.frequency / 1e6} MHz` }] : [];
  const loRa = txInfo.loRaModulationInfo;
  if (loRa) chips.push({ text: `SF${loRa.spreadingFactor}` }, { text: `BW${loRa.bandwidth}` });
  return chips;
}

/** RSSI and SNR of the best reception, and the number of gateways. */
export function receptionChips(rxInfo: readonly RxInfo[] | undefined): Chip[] {
  const best = (rxInfo ?? []).toSorted(
    (a, b) => (b.loRaSNR ?? -99) - (a.loRaSNR ?? -99) || (b.rssi ?? -999) - (a.rssi ?? -999),
  )[0];
  if (!best || !rxInfo) return [];
  const chips: Chip[] = [{ text: `RSSI: ${best.rssi} dBm` }, { text: `SNR: ${best.loRaSNR} dB` }];
  return rxInfo.length > 1 ? [...chips, { text: `${rxInfo.length} gateways` }] : chips;
}
