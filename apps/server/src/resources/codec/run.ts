import {
  type CodecRunInput,
  CodecRunResult,
  type CodecVector,
  complete,
  type PartOf,
  refusal,
  unauthenticated,
  vectorProblem,
} from '@hilltop/contract';
import { callerKey } from '../../identity/name-of.ts';
import type { Principal } from '../../identity/principals.ts';
import type { Codec, CodecTrial, PayloadCodecs } from '../../payload-codecs/codec.ts';
import { CodecError } from '../../payload-codecs/codec-error.ts';
import { isTimeExceeded } from '../../payload-codecs/sandbox-messages.ts';

/** Trials of one caller share their time, whatever organization they are for. */
export function ownerOf(principal: Principal): string {
  if (!principal) throw unauthenticated();
  return callerKey(principal);
}

interface RunContext {
  /** Whose share of the time for trials it takes. */
  owner: string;
  variables: Record<string, string>;
  now: Date;
}

/** Runs of one call that wait at the same time: more would save no time, and fewer wait for messages between threads. */
const mostAtOnce = 10;
/** After this time the remaining runs of a call are not started. */
const longestMs = 2_000;

/** Runs a codec on payloads, without effects on uplinks. The results are in the order of the inputs. */
export async function runCodec(
  codecs: PayloadCodecs,
  codec: Codec,
  inputs: readonly CodecRunInput[],
  context: RunContext,
): Promise<CodecRunResult[]> {
  const from = performance.now();
  const results: CodecRunResult[] = [];
  for (let at = 0; at < inputs.length; at += mostAtOnce) {
    const some = inputs.slice(at, at + mostAtOnce);
    if (performance.now() - from > longestMs) results.push(...some.map(late));
    else results.push(...(await Promise.all(some.map((input) => runOnce(codecs, codec, input, context)))));
  }
  return results;
}

/** After so many runs of one call that exceed their time, the others are not started. */
const mostTimeouts = 3;

/** The problem of each vector, '' for those that pass. */
export async function runVectors(
  codecs: PayloadCodecs,
  codec: Codec,
  vectors: readonly CodecVector[],
  context: RunContext,
): Promise<string[]> {
  const problems: string[] = [];
  let timeouts = 0;
  for (let at = 0; at < vectors.length; at += mostAtOnce) {
    const some = vectors.slice(at, at + mostAtOnce);
    if (timeouts >= mostTimeouts) {
      problems.push(...some.map(() => `Not run: ${timeouts} runs before exceeded their time.`));
      continue;
    }
    const results = await runCodec(codecs, codec, some, context);
    timeouts += results.filter(({ error }) => isTimeExceeded(error)).length;
    problems.push(...some.map((vector, index) => vectorProblem(vector, results[index]!)));
  }
  return problems;
}

async function runOnce(
  codecs: PayloadCodecs,
  codec: Codec,
  input: CodecRunInput,
  { owner, variables, now }: RunContext,
): Promise<CodecRunResult> {
  const { direction, fPort, data, objectJSON, receivedAt } = input;
  const facts = { application: owner, fPort, variables };
  const trial =
    direction === 'UPLINK'
      ? await tried(() =>
          codecs.tryDecode(codec, {
            ...facts,
            bytes: Uint8Array.fromBase64(data ?? ''),
            receivedAt: receivedAt ? new Date(receivedAt) : now,
          }),
        )
      : await tried(() => codecs.tryEncode(codec, { ...facts, json: objectJSON }));
  const { func = '', decoded, encoded, errors = [], error, console, ms } = trial;
  const inDecoder = direction === 'UPLINK' || codec.encoderScript.trim() === '';
  return result(input, {
    function: func,
    ...(decoded && {
      objectJSON: decoded.objectJSON,
      quantitiesJSON: decoded.quantities ? JSON.stringify(decoded.quantities) : '',
    }),
    ...(encoded && { data: encoded.bytes.toBase64(), fPort: encoded.fPort }),
    warnings: [...(decoded?.warnings ?? encoded?.warnings ?? [])],
    errors: [...errors],
    ...(error && {
      error: error.message,
      script: codec.codec === 'CUSTOM_JS' ? (inDecoder ? 'DECODER' : 'ENCODER') : '',
      ...error.position,
    }),
    console: [...console],
    ms,
  });
}

async function tried(run: () => Promise<CodecTrial | undefined>): Promise<CodecTrial> {
  try {
    const trial = await run();
    if (trial) return trial;
  } catch (error) {
    if (error instanceof CodecError) return { error, console: [], ms: 0 };
    throw error;
  }
  throw refusal('CODEC_RUNS_BUSY');
}

function result(input: CodecRunInput, found: PartOf<CodecRunResult>): CodecRunResult {
  const given =
    input.direction === 'UPLINK'
      ? { data: input.data, fPort: input.fPort }
      : { objectJSON: input.objectJSON, fPort: input.fPort };
  return complete(CodecRunResult, { ...given, ...found });
}

function late(input: CodecRunInput): CodecRunResult {
  return result(input, { error: `Not run: the runs before took ${longestMs / 1000} s together. Run fewer at once.` });
}
