import { complete, type RadioPlan, RadioSettings } from '@hilltop/contract';
import {
  channelGroups,
  type DataRate,
  defaultUplinkChannels,
  deviceEIRP,
  maxTxPowerIndex,
  type Region,
  rx1Offsets,
  rx2Defaults,
} from '@hilltop/lorawan';
import { defaultSettings, mostDownlinkPower } from '@hilltop/network-server';
import type { RadioDefaults } from '../../network/settings.ts';

/** The properties and limits of a region. */
export function planOf(region: Region): RadioPlan {
  const [minFrequency, maxFrequency] = region.frequencyRange;
  const channels = defaultUplinkChannels(region);
  const isFixed = region.channelPlan === 'fixed';
  return {
    region: region.name,
    isFixed,
    minFrequency,
    maxFrequency,
    channels: channels.map((channel) => ({ ...channel, bandwidth: bandwidthOf(region.dataRates[channel.minDR]) })),
    subBands: channelGroups(region),
    limits: region.subBands.map(({ from, to, dutyCycle }) => ({ minFrequency: from, maxFrequency: to, dutyCycle })),
    dataRates: Object.entries(region.dataRates).map(([dataRate, facts]) => ({
      dataRate: Number(dataRate),
      label: labelOf(facts),
      uplink: facts.uplink,
      downlink: facts.downlink,
    })),
    mostExtraChannels: isFixed ? 0 : region.maxUplinkChannels - channels.length,
    recommendedChannels: region.recommendedExtraChannels.map((channel) => ({ ...channel })),
    mostRX1DROffset: rx1Offsets(region) - 1,
    mostDownlinkTxPower: mostDownlinkPower(region),
    hasTXParamSetup: region.txParamSetup.length > 0,
  };
}

/** The values of a region that apply without settings. */
export function defaultsOf(region: Region, { netID }: Pick<RadioDefaults, 'netID'>): RadioSettings {
  const rx2 = rx2Defaults(region);
  const lowestTxPower = Math.floor(deviceEIRP(region, maxTxPowerIndex(region)) ?? -1);
  // `null` means the default of the region. The power of downlinks differs within a region, so it has no single
  // default.
  const ours = Object.fromEntries(Object.entries(defaultSettings).filter(([, value]) => value !== null));
  return complete(RadioSettings, {
    ...ours,
    netID,
    rx2DataRate: rx2.dataRate,
    rx2Frequency: rx2.frequency,
    uplinkMaxEIRP: Math.floor(region.maxEIRP),
    adrMinDR: region.uplinkDataRates[0],
    adrMaxDR: region.maxADRDataRate,
    // The field has no negative values, so ISM2400 has no default to show.
    ...(lowestTxPower >= 0 && { adrMinTxPower: lowestTxPower }),
    classBPingSlotDR: region.pingSlot.dataRate,
  });
}

function bandwidthOf(facts: DataRate | undefined): number {
  return facts?.modulation === 'LORA' ? facts.bandwidth : 125;
}

function labelOf(facts: DataRate): string {
  if (facts.modulation === 'LORA') return `SF${facts.spreadingFactor} / ${facts.bandwidth} kHz`;
  if (facts.modulation === 'FSK') return `FSK ${facts.datarate / 1000} kbit/s`;
  return `LR-FHSS ${facts.operatingChannelWidth / 1000} kHz, CR ${facts.codeRate}`;
}
