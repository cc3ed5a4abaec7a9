import type { DataRate } from './region.ts';

/** Words in which the data-rates of a region are written. */

export function lora(
  spreadingFactor: number,
  bandwidth: number,
  use: 'both' | 'up' | 'down' = 'both',
  codeRate = '4/5',
): DataRate {
  return {
    modulation: 'LORA',
    spreadingFactor,
    bandwidth,
    codeRate,
    uplink: use !== 'down',
    downlink: use !== 'up',
  };
}

/** Bits per second. */
export function fsk(datarate: number): DataRate {
  return { modulation: 'FSK', datarate, uplink: true, downlink: true };
}

/** Width in Hz; such data-rates exist on uplinks only. */
export function lrFhss(operatingChannelWidth: number, codeRate: '1/3' | '2/3'): DataRate {
  return { modulation: 'LR_FHSS', operatingChannelWidth, codeRate, uplink: true, downlink: false };
}
