/** Estimates the position of a device from the signal levels at gateways. */
import type { Point } from './plane.ts';

export interface ReceptionLevel extends Point {
  /** Signal level at the gateway (dBm), below the noise too. */
  level: number;
}

export interface Estimate extends Point {
  /** In metres; the real distance is smaller in two of three cases. */
  accuracy: number;
}

/** The decrease of the level per tenfold distance, between towns and fields, in dB. */
const fallsBy = 35;
/** The standard deviation by walls, hills and antennas at equal distance (dB). */
const shadowing = 8;
/** The level of a device at one kilometre (dBm), and how much power, antenna and surroundings change it (dB). */
const usual = { level: -110, spread: 12 };
const nearest = 50;
/** The typical distance of a device to the gateway that receives it best (metres). */
const near = 4000;
const reach = 15_000;
const steps = 24;
/** The share of the probability that lies within the accuracy. */
const share = 0.68;

/**
 * Weighs each point of a grid by how well it explains the levels. Returns their centre and the radius in which two
 * thirds of the weight lie: where levels give little information, the accuracy is low. A second grid is finer, around
 * the result of the first.
 */
export function estimateByLevel(received: readonly ReceptionLevel[]): Estimate {
  const easts = received.map(({ east }) => east);
  const norths = received.map(({ north }) => north);
  const middle = (of: number[]) => (Math.min(...of) + Math.max(...of)) / 2;
  const span = (of: number[]) => (Math.max(...of) - Math.min(...of)) / 2;
  const coarse = centreOf(received, {
    east: middle(easts),
    north: middle(norths),
    accuracy: Math.max(span(easts), span(norths)) + reach,
  });
  return centreOf(received, { ...coarse, accuracy: Math.max(3 * coarse.accuracy, 500) });
}

function centreOf(received: readonly ReceptionLevel[], around: Estimate): Estimate {
  const points: (Point & { weight: number })[] = [];
  const offset = (step: number) => ((2 * step) / steps - 1) * around.accuracy;
  for (let row = 0; row <= steps; row += 1)
    for (let column = 0; column <= steps; column += 1) {
      const point = { east: around.east + offset(column), north: around.north + offset(row) };
      points.push({ ...point, weight: fitOf(received, point) });
    }
  const best = points.reduce((most, { weight }) => Math.max(most, weight), Number.NEGATIVE_INFINITY);
  let [sum, east, north] = [0, 0, 0];
  for (const point of points) {
    point.weight = Math.exp(point.weight - best);
    sum += point.weight;
    east += point.weight * point.east;
    north += point.weight * point.north;
  }
  [east, north] = [east / sum, north / sum];
  const away = points.map((point) => ({ ...point, metres: Math.hypot(point.east - east, point.north - north) }));
  away.sort((a, b) => a.metres - b.metres);
  let within = 0;
  const edge = away.find(({ weight }) => (within += weight) >= share * sum);
  const cell = (2 * around.accuracy) / steps;
  return { east, north, accuracy: Math.max(edge?.metres ?? 0, cell / 2) };
}

/**
 * Logarithm of the probability without a constant. A deviation that all levels share belongs to the device, not to the
 * point.
 */
function fitOf(received: readonly ReceptionLevel[], { east, north }: Point): number {
  const ways = received.map((one) => Math.max(nearest, Math.hypot(one.east - east, one.north - north)));
  const atKilometre = received.map(({ level }, at) => level + fallsBy * Math.log10(ways[at]! / 1000));
  const mean = atKilometre.reduce((sum, level) => sum + level, 0) / received.length;
  const apart = atKilometre.reduce((sum, level) => sum + (level - mean) ** 2, 0);
  const variance = usual.spread ** 2 + shadowing ** 2 / received.length;
  const best = received.reduce((most, { level }, at) => (level > received[most]!.level ? at : most), 0);
  return (
    -apart / (2 * shadowing ** 2) - (mean - usual.level) ** 2 / (2 * variance) - ways[best]! ** 2 / (2 * near ** 2)
  );
}
