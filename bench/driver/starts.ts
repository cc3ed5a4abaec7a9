import type { Hilltop } from '../../e2e/hilltop.ts';
import { type Spread, spreadOf } from './spread.ts';

/** Restarts the server several times. Resolves with the time until the first answer of each start, in ms. */
export async function timeOfStarts(hilltop: Hilltop, times: number): Promise<Spread> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await hilltop.stop();
    const from = performance.now();
    await hilltop.start();
    taken.push(performance.now() - from);
  }
  return spreadOf(taken);
}
