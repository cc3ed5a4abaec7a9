import { dataRateOf, defaultDownlinkChannels, defaultUplinkChannels, type Region } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { modulationOfUplink } from './modulation.ts';
import type { WantedRadio } from './wanted-radio.ts';

/**
 * The frequencies (Hz) on which the gateways and devices of a network receive. A report of any other frequency is
 * wrong.
 */
export interface FrequencyPlan {
  up: ReadonlySet<number>;
  down: ReadonlySet<number>;
}

/** The key of all other frequencies in statistics: their real names are numbers. */
export const otherFrequency = 0;

/**
 * The frequencies of region and settings, and those that gateways and devices of the region commonly use in addition.
 */
export function frequencyPlan(region: Region, wanted: Pick<WantedRadio, 'extraChannels' | 'rx2Frequency'>) {
  const up = new Set<number>();
  for (const { frequency } of [
    ...defaultUplinkChannels(region),
    ...region.recommendedExtraChannels,
    ...region.gatewayChannels,
    ...wanted.extraChannels,
  ]) {
    up.add(frequency);
  }
  const down = new Set([wanted.rx2Frequency, region.rx2.frequency]);
  for (const { frequency } of defaultDownlinkChannels(region)) down.add(frequency);
  for (const frequency of [...region.pingSlot.frequencies, ...region.beacon.frequencies]) down.add(frequency);
  if (region.channelPlan === 'dynamic') for (const frequency of up) down.add(frequency);
  return { up, down } satisfies FrequencyPlan;
}

const nearHz = 1000;

/** The channel of the plan within 1 kHz of the frequency; other frequencies unchanged. */
function plannedFrequency({ up }: FrequencyPlan, hertz: number): number {
  if (up.has(hertz)) return hertz;
  for (const channel of up) if (Math.abs(channel - hertz) <= nearHz) return channel;
  return hertz;
}

/** Gateways whose radios are off by some Hz then report the same uplink on the same channel. */
export function onPlannedFrequency(plan: FrequencyPlan, frame: gw.UplinkFrame): gw.UplinkFrame {
  const { txInfo } = frame;
  const frequency = txInfo && plannedFrequency(plan, txInfo.frequency);
  return !txInfo || frequency === txInfo.frequency ? frame : { ...frame, txInfo: { ...txInfo, frequency: frequency! } };
}

/** Whether an uplink can have come from a device of this network, by frequency and data-rate. */
export function isPlanned(region: Region, { up }: FrequencyPlan, txInfo: gw.UplinkTXInfo): boolean {
  const modulation = modulationOfUplink(txInfo);
  return up.has(txInfo.frequency) && modulation !== null && dataRateOf(region, modulation) !== null;
}
