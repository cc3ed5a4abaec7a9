import type { Channel, Modulation, Region } from '@hilltop/lorawan';
import { deviceEIRP, modulationOf, rx1DataRate, rx1Frequency, uplinkChannels } from '@hilltop/lorawan';
import type { Random } from '../random.ts';
import { below } from '../random.ts';
import type { RadioSettings } from './session.ts';

export type WindowName = 'RX1' | 'RX2';

/** When and how a device listens after an uplink; `delayMs` counts from the end of the uplink. */
export interface ReceiveWindow {
  name: WindowName;
  delayMs: number;
  frequency: number;
  modulation: Modulation;
}

/** One uplink on the air. Frequencies in Hz, power in dBm EIRP. */
export interface Transmission {
  phyPayload: Uint8Array;
  frequency: number;
  channel: number;
  dataRate: number;
  modulation: Modulation;
  power: number;
  windows: ReceiveWindow[];
}

/** The power of a typical small device, even where a region allows more (dBm). */
const mostPower = 20;

/** A random enabled channel that allows the data-rate. */
export function pickChannel(region: Region, radio: RadioSettings, random: Random): Channel {
  const usable = uplinkChannels(region, radio.extraChannels).filter(
    ({ index, minDR, maxDR }) =>
      radio.enabledChannels.includes(index) && minDR <= radio.dataRate && radio.dataRate <= maxDR,
  );
  const channel = usable[below(random, usable.length)];
  if (!channel) throw new RangeError(`No enabled channel allows data-rate ${radio.dataRate}.`);
  return channel;
}

/** The frame on that channel, with the windows that follow it. */
export function transmissionOf(
  phyPayload: Uint8Array,
  region: Region,
  radio: RadioSettings,
  channel: Channel,
  firstDelayMs = radio.rx1DelayMs,
): Transmission {
  const { dataRate } = radio;
  return {
    phyPayload,
    frequency: channel.frequency,
    channel: channel.index,
    dataRate,
    modulation: modulationOf(region, dataRate),
    power: Math.min(deviceEIRP(region, radio.txPowerIndex) ?? region.maxEIRP, mostPower),
    windows: [...firstWindow(region, radio, channel, firstDelayMs), secondWindow(region, radio, firstDelayMs + 1000)],
  };
}

function firstWindow(region: Region, radio: RadioSettings, channel: Channel, delayMs: number): ReceiveWindow[] {
  const frequency = radio.downlinkFrequencies.get(channel.index) ?? rx1Frequency(region, channel.frequency);
  const dataRate = rx1DataRate(region, radio.dataRate, radio.rx1DROffset);
  if (frequency === null || dataRate === null) return [];
  return [{ name: 'RX1', delayMs, frequency, modulation: modulationOf(region, dataRate) }];
}

function secondWindow(region: Region, { rx2 }: RadioSettings, delayMs: number): ReceiveWindow {
  return { name: 'RX2', delayMs, frequency: rx2.frequency, modulation: modulationOf(region, rx2.dataRate) };
}
