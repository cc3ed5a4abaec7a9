import type { DownlinkTXInfo, EventNote, PartOf, UplinkRXInfo, UplinkTXInfo } from '@hilltop/contract';
import type { WordName } from '../words/words.ts';
import type { LogCells, LogColumn } from './log-kind.ts';

/** Transmission parameters: `frequency` in Hz, `bandwidth` in kHz. Other servers may omit members. */
export type TxInfo = PartOf<UplinkTXInfo | DownlinkTXInfo>;
/** The reception at one gateway: RSSI in dBm, SNR in dB. */
export type RxInfo = PartOf<UplinkRXInfo>;

/** The radio fields of a frame. */
export const radioWords: readonly WordName[] = ['dataRate', 'fCnt', 'fPort', 'devAddr', 'rssi', 'snr'];

/** The columns of logs that show frames or events of devices. */
const radioColumns: readonly LogColumn[] = [
  { name: 'fCnt', label: 'FCnt', width: '4.5em', isNumber: true },
  { name: 'fPort', label: 'FPort', width: '3.2em', isNumber: true },
  { name: 'dataRate', label: 'Data-rate', width: '5.8em' },
  { name: 'frequency', label: 'MHz', width: '4.1em', isNumber: true, isMinor: true },
  { name: 'rssi', label: 'RSSI', width: '3.2em', isNumber: true },
  { name: 'snr', label: 'SNR', width: '3.2em', isNumber: true },
  { name: 'gateways', label: 'Gateways', width: '5em', isNumber: true, isMinor: true },
];

/** The same columns, some of them hidden on a phone where other values need the room. */
export const radioColumnsWithout = (...minor: readonly string[]): readonly LogColumn[] =>
  radioColumns.map((column) => (minor.includes(column.name) ? { ...column, isMinor: true } : column));

export const formatRSSI = (rssi: number): string => String(Math.round(rssi));
/** Without a negative zero. */
export const formatSNR = (snr: number): string => snr.toFixed(1).replace(/^-0\.0$/, '0.0');

/** Frequency in MHz, and spreading factor with bandwidth when the modulation is LoRa. */
export function transmissionCells(txInfo: TxInfo | null | undefined): LogCells {
  const loRa = txInfo?.loRaModulationInfo;
  return {
    ...(txInfo?.frequency && { frequency: String(txInfo.frequency / 1e6) }),
    ...(loRa && { dataRate: `SF${loRa.spreadingFactor}BW${loRa.bandwidth}` }),
  };
}

/** The reception without the gateways, from the note of an event. */
export function noteCells({ bestRSSI, bestSNR, gatewayCount }: EventNote): LogCells {
  return {
    ...(bestRSSI !== undefined && { rssi: formatRSSI(bestRSSI) }),
    ...(bestSNR !== undefined && { snr: formatSNR(bestSNR) }),
    ...(gatewayCount !== undefined && { gateways: String(gatewayCount) }),
  };
}

/** The reception with the best SNR, or undefined. */
export function bestReception<R extends RxInfo>(rxInfo: readonly R[] | undefined): R | undefined {
  return (rxInfo ?? []).toSorted(
    (a, b) => (b.loRaSNR ?? -99) - (a.loRaSNR ?? -99) || (b.rssi ?? -999) - (a.rssi ?? -999),
  )[0];
}

/** RSSI and SNR of the best reception, and the number of gateways. */
export function receptionCells(rxInfo: readonly RxInfo[] | undefined): LogCells {
  const best = bestReception(rxInfo);
  if (!best || !rxInfo) return {};
  return {
    rssi: formatRSSI(best.rssi ?? 0),
    snr: formatSNR(best.loRaSNR ?? 0),
    gateways: String(rxInfo.length),
  };
}
