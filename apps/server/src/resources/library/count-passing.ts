import type { CodecVector } from '@hilltop/contract';
import type { Codec, PayloadCodecs } from '../../payload-codecs/codec.ts';
import { runVectors } from '../codec/run.ts';

/** How many test vectors of a codec pass. `owner` is whose share of the time for trials it takes. */
export async function countPassing(
  codecs: PayloadCodecs,
  codec: Codec,
  vectors: readonly CodecVector[],
  { owner, now }: { owner: string; now: Date },
): Promise<number> {
  const problems = await runVectors(codecs, codec, vectors, { owner, now, variables: {} });
  return problems.filter((problem) => problem === '').length;
}
