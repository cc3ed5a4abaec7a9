/** Rising rates of uplinks, and the texts of their figures. */
import type { Bench } from '../case.ts';
import { eachOf } from './process-use.ts';
import { deduplicationWindowMs } from './sent-uplinks.ts';
import type { UplinkResult, UplinkRunner } from './uplink-run.ts';

/** With a higher latency than this, minus the deduplication window, a server no longer sustains the rate. */
const patienceMs = 1000;

/** Runs rising rates until one is not sustained, or all rates that the command line names. */
export async function runLadder(
  { rates: named, seconds: namedSeconds, quick, say }: Bench,
  runner: UplinkRunner,
  { rates, seconds }: { rates: readonly number[]; seconds: number },
): Promise<UplinkResult[]> {
  const results: UplinkResult[] = [];
  for (const perSecond of named ?? rates) {
    const result = await runner.run(perSecond, namedSeconds ?? (quick ? quickSeconds : seconds));
    say(lineOf(result));
    results.push(result);
    if (!named && !isSustained(result)) break;
  }
  return results;
}

const quickSeconds = 4;

export function isSustained({ sent, delivered, duplicates, latency }: UplinkResult): boolean {
  return delivered === sent && duplicates === 0 && latency.p99 < deduplicationWindowMs + patienceMs;
}

/** Latency minus the deduplication window. */
export const over = (ms: number): number => Math.round((ms - deduplicationWindowMs) * 10) / 10;

/** A rate with its latency and processor time. */
export const rateOf = (result: UplinkResult): string =>
  `${result.perSecond}/s, ${timesOf(result)}; ${eachOf(result.each)}`;

const timesOf = ({ latency }: UplinkResult) => `p50 +${over(latency.p50)} / p99 +${over(latency.p99)} ms`;

function lineOf(result: UplinkResult): string {
  const { perSecond, sent, acknowledged, delivered, lost, duplicates } = result;
  return (
    `${perSecond}/s: ${sent} sent, ${acknowledged} acknowledged, ${delivered} delivered, ${lost} lost, ` +
    `${duplicates} twice; ${timesOf(result)}; ${eachOf(result.each)}${memoryOf(result)}`
  );
}

/** The driver's memory holds the uplinks of the run, and says nothing about the server. */
function memoryOf({ memoryMB }: UplinkResult): string {
  const parts = Object.entries(memoryMB).flatMap(([name, used]) => (name === 'driver' ? [] : `${name} ${used}`));
  return parts.length > 0 ? `; ${parts.join(', ')} MB` : '';
}
