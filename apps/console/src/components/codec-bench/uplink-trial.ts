import type { CodecRunResult } from '@hilltop/contract';
import { isSame } from '../form/merge.ts';
import { toast } from '../toast/toast.ts';
import type { BenchCodec } from './bench-case.ts';

/** The last run of a codec on the last uplinks. */
export interface UplinkTrial {
  codec: BenchCodec;
  results: readonly CodecRunResult[];
}

/** Says that a codec was saved that failed on every uplink it was tried on. */
export function warnOfFailures(saved: BenchCodec, trial: UplinkTrial | null): void {
  if (!trial || !isSame(saved, trial.codec)) return;
  const { length } = trial.results;
  const failed = trial.results.filter(({ error, errors }) => error !== '' || errors.length > 0).length;
  if (length > 0 && failed === length)
    toast.attention(`The saved decoder fails on ${failed} of ${length} last uplinks: their devices have no values.`);
}
