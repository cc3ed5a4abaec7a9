import { type Region, rx2Defaults, windowProblem } from '@hilltop/lorawan';
import type { DeviceProfileRecord } from '../state/records.ts';

type RX2 = Pick<DeviceProfileRecord, 'rxFreq2' | 'rxDatarate2'>;

/** The second window of an ABP device, from its device profile; 0 means the value of the region. */
export function bootRX2(region: Region, { rxFreq2, rxDatarate2 }: RX2): { frequency: number; dataRate: number } {
  const usual = rx2Defaults(region);
  return { frequency: rxFreq2 || usual.frequency, dataRate: rxDatarate2 || usual.dataRate };
}

/** Why a device-profile cannot be used in a region, in a sentence; null when it can. */
export function bootRX2Problem(
  region: Region,
  profile: RX2,
): { of: 'frequency' | 'dataRate'; sentence: string } | null {
  const of = windowProblem(region, bootRX2(region, profile));
  if (of === null) return null;
  const [from, to] = region.frequencyRange;
  const downlinks = Object.keys(region.dataRates).filter((dataRate) => region.dataRates[Number(dataRate)]?.downlink);
  const sentence = {
    frequency: `The RX2 frequency must lie between ${from} and ${to} Hz in ${region.name}.`,
    dataRate: `The RX2 data-rate must be one for downlinks in ${region.name}: ${downlinks.join(', ')}.`,
  };
  return { of, sentence: sentence[of] };
}
