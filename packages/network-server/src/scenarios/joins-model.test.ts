import { describeJoins } from '../testing/joins-model.ts';

/** HILLTOP_MODEL_RUNS=500 for a long run, HILLTOP_MODEL_SEED=7 for a single seed. */
const runs = Number(process.env['HILLTOP_MODEL_RUNS'] ?? 12);
const only = process.env['HILLTOP_MODEL_SEED'];
const seeds = only === undefined ? Array.from({ length: runs }, (_, nth) => nth + 1) : [Number(only)];

describeJoins('state in memory', () => undefined, seeds);
