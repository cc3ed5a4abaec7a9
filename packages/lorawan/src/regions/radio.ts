import type { Modulation } from '../airtime.ts';
import { ruledMacVersion } from './mac-versions.ts';
import type { Region } from './region.ts';

/** Radio figures that do not depend on the region, and the power a region allows. */

/** dB by LoRa spreading factor. */
const requiredSNRs: Readonly<Record<number, number>> = {
  5: -2.5,
  6: -5,
  7: -7.5,
  8: -10,
  9: -12.5,
  10: -15,
  11: -17.5,
  12: -20,
};

const noiseFigure = 6;

/** dBm by code 0 to 15 of TXParamSetupReq. */
export const eirpCodes = [8, 10, 12, 13, 14, 16, 18, 20, 21, 24, 26, 27, 29, 30, 33, 36] as const;

/** Signal-to-noise ratio in dB that demodulation needs, or null for other modulations than LoRa. */
export function requiredSNR(modulation: Modulation): number | null {
  if (modulation.modulation !== 'LORA') return null;
  return requiredSNRs[modulation.spreadingFactor] ?? null;
}

/** The weakest signal in dBm that a receiver can demodulate. Bandwidth in kHz, SNR in dB. */
export function sensitivity(bandwidth: number, snr: number): number {
  return -174 + 10 * Math.log10(bandwidth * 1000) + noiseFigure + snr;
}

/** The path loss in dB that a transmission may have. */
export function linkBudget(power: number, bandwidth: number, snr: number): number {
  return power - sensitivity(bandwidth, snr);
}

/** Highest EIRP code that is not above the given dBm; code 0 when all are. */
export function eirpCodeOf(eirp: number): number {
  return Math.max(
    eirpCodes.findLastIndex((coded) => coded <= eirp),
    0,
  );
}

/** Power in dBm for a downlink on that frequency. */
export function downlinkTxPower(region: Region, frequency: number): number {
  const rule = region.downlinkTxPower.find(({ from, to }) => from <= frequency && frequency < to);
  if (!rule) throw new RangeError(`${region.name} gives no downlink power for ${frequency} Hz.`);
  return rule.power;
}

/** EIRP in dBm of a device at a TXPower index, or null when the region has no such index. */
export function deviceEIRP(region: Region, txPowerIndex: number): number | null {
  const offset = region.txPowerOffsets[txPowerIndex];
  return offset === undefined ? null : region.maxEIRP + offset;
}

/** The last TXPower index of the region. */
export function maxTxPowerIndex(region: Region): number {
  return region.txPowerOffsets.length - 1;
}

/** Whether a device of that MAC version supports TXParamSetupReq in the region. */
export function hasTxParamSetup(region: Region, macVersion: string): boolean {
  return region.txParamSetup.includes(ruledMacVersion(macVersion));
}
