import type { CodecRunInput, CodecRunResult, CodecVector } from '@hilltop/contract';
import { vectorProblem } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { type BenchCodec, caseOfVector } from './bench-case.ts';

/** The most inputs of one call. */
const mostAtOnce = 50;

/** The variables of a device, by name. */
export type Variables = Readonly<Record<string, string>>;

export interface RunContext {
  organizationID: string;
  variables: Variables;
}

/** Runs a codec on inputs, in as many calls as they need. The results are in their order. */
export async function runCodec(
  codec: BenchCodec,
  inputs: readonly CodecRunInput[],
  context: RunContext,
): Promise<CodecRunResult[]> {
  const results: CodecRunResult[] = [];
  for (let at = 0; at < inputs.length; at += mostAtOnce) {
    const runs = inputs.slice(at, at + mostAtOnce);
    const answer = await perform(api.codecRun.create({ ...codec, ...context, runs }));
    results.push(...answer.results);
  }
  return results;
}

/** How many vectors fail. */
export async function countFailing(
  codec: BenchCodec,
  vectors: readonly CodecVector[],
  context: RunContext,
): Promise<number> {
  const inputs = vectors.map((vector, at) => caseOfVector(vector, at).input);
  const results = await runCodec(codec, inputs, context);
  return vectors.filter((vector, at) => vectorProblem(vector, results[at]!) !== '').length;
}
