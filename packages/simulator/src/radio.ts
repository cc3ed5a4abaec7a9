/** The radio propagation between a device and a gateway: distance, walls, fading, noise. */
import type { Modulation } from '@hilltop/lorawan';
import { requiredSNR } from '@hilltop/lorawan';
import type { Random } from './random.ts';
import { gaussian } from './random.ts';

/** In degrees and metres. */
export interface Position {
  latitude: number;
  longitude: number;
  altitude?: number;
}

/** In dBm and dB, as receivers report it. */
export interface Signal {
  rssi: number;
  snr: number;
}

const earthRadiusKm = 6371;
const noiseFigureDb = 6;
const fadingDb = 2.5;
/** Receivers saturate: a stronger signal shows no better SNR. */
const bestSNR = 12;

/** Kilometres along the surface, for radio distances. */
export function distanceKm(from: Position, to: Position): number {
  const radians = Math.PI / 180;
  const north = (to.latitude - from.latitude) * radians;
  const middle = ((to.latitude + from.latitude) / 2) * radians;
  const east = (to.longitude - from.longitude) * radians * Math.cos(middle);
  return earthRadiusKm * Math.hypot(north, east);
}

/** Log-distance loss as measured for 868 MHz in a town (Petäjäjärvi et al. 2015): 128.95 dB at 1 km, exponent 2.32. */
export function pathLossDb(km: number): number {
  return 128.95 + 23.2 * Math.log10(Math.max(km, 0.01));
}

/** The signal of a transmission of that power (dBm) at a receiver; `lossDb` is the loss by walls. */
export function signalAt(
  transmission: { power: number; modulation: Modulation },
  km: number,
  { lossDb = 0, random }: { lossDb?: number; random: Random },
): Signal {
  const rssi = transmission.power - pathLossDb(km) - lossDb + gaussian(random, fadingDb);
  const snr = Math.min(rssi - noiseFloor(transmission.modulation), bestSNR + gaussian(random, 0.8));
  return { rssi, snr };
}

/** Whether a receiver can demodulate the signal. */
export function isHeard(signal: Signal, modulation: Modulation): boolean {
  return signal.snr >= (requiredSNR(modulation) ?? 0);
}

/** The thermal noise in the bandwidth at the receiver (dBm). */
function noiseFloor(modulation: Modulation): number {
  const kilohertz = modulation.modulation === 'LORA' ? modulation.bandwidth : 125;
  return -174 + 10 * Math.log10(kilohertz * 1000) + noiseFigureDb;
}
