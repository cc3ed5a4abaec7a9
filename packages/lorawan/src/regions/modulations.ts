import type { DataRate } from './region.ts';

/** Functions that declare the data-rates of a region. */

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

/** Data-rates 0 to 5 of nearly every region outside America and Australia. */
export const narrowLoRa = {
  0: lora(12, 125),
  1: lora(11, 125),
  2: lora(10, 125),
  3: lora(9, 125),
  4: lora(8, 125),
  5: lora(7, 125),
} as const;
