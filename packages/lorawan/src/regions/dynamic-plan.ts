import { fsk, lora, narrowLoRa } from './modulations.ts';
import type { Region } from './region.ts';

/** RX1 at the uplink's data-rate, lowered by the offset. */
export function lowered(dataRates: number): number[][] {
  return Array.from({ length: dataRates }, (_, dr) => [0, 1, 2, 3, 4, 5].map((offset) => Math.max(dr - offset, 0)));
}

/** The facts of regions with a dynamic channel plan; each region overrides those that differ. */
export const dynamicPlan = {
  channelPlan: 'dynamic',
  maxUplinkChannels: 16,
  cFListType: 0,
  cFListSince: null,
  dataRates: {
    ...narrowLoRa,
    6: lora(7, 250),
    7: fsk(50000),
  },
  uplinkDataRates: [0, 5],
  maxADRDataRate: 5,
  rx1ChannelModulo: null,
  rx1DataRates: [{ rows: lowered(8) }],
  txParamSetup: [],
  recommendedExtraChannels: [],
} as const satisfies Partial<Region>;

/** The default channels of a device, also for RX1, to which all gateways listen. */
export function defaultChannels(count: number, frequency: number, step: number) {
  const channels = [{ index: 0, count, frequency, step, minDR: 0, maxDR: 5 }];
  const gatewayChannels = Array.from({ length: count }, (_, position) => multiSF(frequency + position * step));
  return { uplinkChannels: channels, downlinkChannels: channels, gatewayChannels } satisfies Partial<Region>;
}

/** A gateway's channel for LoRa at all spreading factors. */
export function multiSF(frequency: number) {
  return { modulation: 'LORA', frequency, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] } as const;
}

/** Class B with one frequency each. */
export function classB(beacon: number, pingSlot = beacon) {
  return {
    beacon: { dataRate: 3, frequencies: [beacon], layout: [2, 8, 17] },
    pingSlot: { dataRate: 3, frequencies: [pingSlot] },
  } as const satisfies Partial<Region>;
}
