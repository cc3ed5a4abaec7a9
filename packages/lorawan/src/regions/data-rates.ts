import type { Modulation } from '../airtime.ts';
import type { Direction } from '../frame/frame.ts';
import type { DataRate, Region } from './region.ts';

/** Data-rate index of a modulation in that direction, or null when the region has no such data-rate. */
export function dataRateOf(region: Region, modulation: Modulation, direction: Direction = 'up'): number | null {
  for (const dr in region.dataRates) {
    const dataRate = region.dataRates[dr]!;
    if (dataRate[direction === 'up' ? 'uplink' : 'downlink'] && isSame(dataRate, modulation)) return Number(dr);
  }
  return null;
}

/** Modulation of a data-rate, ready for a downlink; throws RangeError for a data-rate that the region does not define. */
export function modulationOf(region: Region, dataRate: number): Modulation {
  const known = region.dataRates[dataRate];
  if (!known) throw new RangeError(`${region.name} has no data-rate ${dataRate}.`);
  const { uplink: _uplink, downlink: _downlink, ...modulation } = known;
  return modulation;
}

/** The highest LoRa 125 kHz data-rate that one of these channels allows, which limits ADR; null without any. */
export function highestADRDataRate(
  region: Region,
  channels: readonly { minDR: number; maxDR: number }[],
): number | null {
  const usable = Object.entries(region.dataRates)
    .filter(([, dataRate]) => dataRate.modulation === 'LORA' && dataRate.uplink && dataRate.bandwidth !== 500)
    .map(([index]) => Number(index))
    .filter((index) => index <= region.maxADRDataRate)
    .filter((index) => channels.some((channel) => channel.minDR <= index && index <= channel.maxDR));
  return usable.length > 0 ? Math.max(...usable) : null;
}

function isSame(dataRate: DataRate, modulation: Modulation): boolean {
  if (dataRate.modulation === 'LORA' && modulation.modulation === 'LORA') {
    return dataRate.bandwidth === modulation.bandwidth && dataRate.spreadingFactor === modulation.spreadingFactor;
  }
  if (dataRate.modulation === 'FSK' && modulation.modulation === 'FSK')
    return dataRate.datarate === modulation.datarate;
  if (dataRate.modulation === 'LR_FHSS' && modulation.modulation === 'LR_FHSS') {
    return (
      dataRate.operatingChannelWidth === modulation.operatingChannelWidth &&
      dataRate.codeRate === nominalCodeRate(modulation.codeRate)
    );
  }
  return false;
}

/** Packet forwarders write the LR-FHSS code rates 1/3 and 2/3 also as 2/6 and 4/6. */
function nominalCodeRate(codeRate: string): string {
  return { '2/6': '1/3', '4/6': '2/3' }[codeRate] ?? codeRate;
}
