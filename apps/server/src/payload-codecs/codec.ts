import type { Quantities } from '@hilltop/contract';
import { decodeCayenneLpp, encodeCayenneLpp } from './cayenne-lpp.ts';
import { CodecError } from './codec-error.ts';
import { type JavaScriptSandbox, type SandboxSettings, type ScriptCall, startJavaScriptSandbox } from './javascript.ts';
import type { ScriptDirection, ScriptFunction, ScriptResult } from './sandbox-messages.ts';
import type { SandboxOutcome } from './sandbox-thread.ts';

/** How the payloads of a device become objects and back: the codec of its device profile, by name. */
export type Codec = { codec: string; encoderScript: string; decoderScript: string };

/** `application` is whose share of time it takes. */
type PayloadFacts = { application: string; fPort: number; variables: Record<string, string> };
type UplinkPayload = PayloadFacts & { bytes: Uint8Array; receivedAt: Date };
/** `fPort` 0 leaves the port to the codec. */
type DownlinkPayload = PayloadFacts & { json: string };

type DecodedUplink = {
  /** JSON text, '' without a codec. */
  objectJSON: string;
  warnings?: readonly string[] | undefined;
  quantities?: Quantities | undefined;
};
type EncodedDownlink = {
  bytes: Uint8Array;
  /** The port that the codec chose, or else the one given. */
  fPort: number;
  warnings?: readonly string[] | undefined;
};

/** The outcome of a run for the author of a codec. Its `error` is a CodecError when there is no result. */
export type CodecTrial = {
  func?: ScriptFunction | undefined;
  decoded?: DecodedUplink;
  encoded?: EncodedDownlink;
  errors?: readonly string[] | undefined;
  error?: CodecError;
  console: readonly string[];
  ms: number;
};

/** Why a script cannot be saved. */
type ScriptProblem = { field: 'encoderScript' | 'decoderScript'; error: CodecError };

export type PayloadCodecs = {
  /** Throws CodecError with a message for users when the payload or the script is at fault. */
  decode(codec: Codec, uplink: UplinkPayload): Promise<DecodedUplink>;
  /** Throws CodecError, also without a codec. */
  encode(codec: Codec, downlink: DownlinkPayload): Promise<EncodedDownlink>;
  /** The same for the author of a codec, without effects on uplinks. Undefined when too many trials wait. */
  tryDecode(codec: Codec, uplink: UplinkPayload): Promise<CodecTrial | undefined>;
  tryEncode(codec: Codec, downlink: DownlinkPayload): Promise<CodecTrial | undefined>;
  /** The first script that cannot be used; undefined when both can. `owner` is whose share of time it takes. */
  check(codec: Codec, owner: string): Promise<ScriptProblem | 'busy' | undefined>;
  stop(): Promise<void>;
};

interface CodecKind {
  decode: (sandbox: JavaScriptSandbox, codec: Codec, uplink: UplinkPayload) => Promise<DecodedUplink>;
  encode: (sandbox: JavaScriptSandbox, codec: Codec, downlink: DownlinkPayload) => Promise<EncodedDownlink>;
}

const kinds: Record<string, CodecKind> = {
  '': {
    decode: () => Promise.resolve({ objectJSON: '' }),
    encode: () =>
      Promise.reject(
        new CodecError('This device has no payload codec: choose one on its device-profile, or send data.'),
      ),
  },
  CAYENNE_LPP: {
    decode: async (_, __, { bytes }) => {
      const { object, warnings } = decodeCayenneLpp(bytes);
      return { objectJSON: JSON.stringify(object), ...(warnings.length > 0 && { warnings }) };
    },
    encode: async (_, __, { json, fPort }) => ({ bytes: encodeCayenneLpp(parseObject(json)), fPort }),
  },
  CUSTOM_JS: {
    decode: async (sandbox, codec, uplink) => decodedOf(await sandbox.run(decoderCall(codec, uplink))),
    encode: async (sandbox, codec, downlink) =>
      encodedOf(await sandbox.run(encoderCall(codec, downlink)), downlink.fPort),
  },
};

/** The script with the function of a direction: an empty encoder leaves encoding to the decoder script. */
function scriptOf({ encoderScript, decoderScript }: Codec, direction: ScriptDirection): string {
  return direction === 'downlink' && encoderScript.trim() !== '' ? encoderScript : decoderScript;
}

function decoderCall(
  codec: Codec,
  { application: owner, fPort, bytes, variables, receivedAt }: UplinkPayload,
): ScriptCall {
  const at = receivedAt.getTime();
  return { owner, direction: 'uplink', script: codec.decoderScript, fPort, at, input: [...bytes], variables };
}

function encoderCall(codec: Codec, { application: owner, fPort, json, variables }: DownlinkPayload): ScriptCall {
  const script = scriptOf(codec, 'downlink');
  return { owner, direction: 'downlink', script, fPort, at: 0, input: parseObject(json), variables };
}

/** Starts the codecs. Cayenne LPP runs on this thread, scripts run in sandbox threads. */
export function startPayloadCodecs(settings?: SandboxSettings): PayloadCodecs {
  const sandbox = startJavaScriptSandbox(settings);
  const kindOf = (codec: Codec) => {
    const kind = kinds[codec.codec];
    if (!kind)
      throw new CodecError(`The payload codec "${codec.codec}" is not known: choose none, CAYENNE_LPP or CUSTOM_JS.`);
    return kind;
  };
  const decode: PayloadCodecs['decode'] = async (codec, uplink) => kindOf(codec).decode(sandbox, codec, uplink);
  const encode: PayloadCodecs['encode'] = async (codec, downlink) => kindOf(codec).encode(sandbox, codec, downlink);
  return {
    decode,
    encode,
    tryDecode: (codec, uplink) =>
      codec.codec === 'CUSTOM_JS'
        ? trialOf(
            () => sandbox.tryOut(decoderCall(codec, uplink)),
            (result) => ({ decoded: decodedOf(result) }),
          )
        : plainTrial(async () => ({ decoded: await decode(codec, uplink) })),
    tryEncode: (codec, downlink) =>
      codec.codec === 'CUSTOM_JS'
        ? trialOf(
            () => sandbox.tryOut(encoderCall(codec, downlink)),
            (result) => ({ encoded: encodedOf(result, downlink.fPort) }),
          )
        : plainTrial(async () => ({ encoded: await encode(codec, downlink) })),
    check: (codec, owner) => checkScripts(sandbox, codec, owner),
    stop: () => sandbox.stop(),
  };
}

async function checkScripts(
  sandbox: JavaScriptSandbox,
  codec: Codec,
  owner: string,
): Promise<ScriptProblem | 'busy' | undefined> {
  if (codec.codec !== 'CUSTOM_JS') return undefined;
  for (const [field, direction] of [
    ['decoderScript', 'uplink'],
    ['encoderScript', 'downlink'],
  ] as const) {
    const script = codec[field];
    if (script.trim() === '') continue;
    const outcome = await sandbox.check({ owner, direction, script });
    if (!outcome) return 'busy';
    if ('error' in outcome) return { field, error: outcome.error };
  }
  return undefined;
}

async function trialOf(
  run: () => Promise<SandboxOutcome> | undefined,
  read: (result: ScriptResult) => Pick<CodecTrial, 'decoded' | 'encoded'>,
): Promise<CodecTrial | undefined> {
  try {
    const outcome = await run();
    if (!outcome) return undefined;
    const { ms, console = [] } = outcome;
    if ('error' in outcome) return { error: outcome.error, ms, console };
    const { func, errors } = outcome.result;
    try {
      return { func, ms, console, ...read(outcome.result) };
    } catch (error) {
      return { func, errors, ms, console, error: requireCodecError(error) };
    }
  } catch (error) {
    return { error: requireCodecError(error), ms: 0, console: [] };
  }
}

async function plainTrial(run: () => Promise<Pick<CodecTrial, 'decoded' | 'encoded'>>): Promise<CodecTrial> {
  const from = performance.now();
  try {
    return { ...(await run()), ms: performance.now() - from, console: [] };
  } catch (error) {
    return { error: requireCodecError(error), ms: performance.now() - from, console: [] };
  }
}

function requireCodecError(error: unknown): CodecError {
  if (error instanceof CodecError) return error;
  throw error;
}

function refuseErrors({ errors = [] }: ScriptResult): void {
  if (errors.length > 0) throw new CodecError(errors.join(', '));
}

function decodedOf(result: ScriptResult): DecodedUplink {
  refuseErrors(result);
  const { json, warnings, quantities } = result;
  return { objectJSON: json, warnings, quantities };
}

function encodedOf(result: ScriptResult, fPort: number): EncodedDownlink {
  refuseErrors(result);
  const { func, json, warnings } = result;
  return { bytes: toBytes(func, json), fPort: result.fPort ?? fPort, warnings };
}

function parseObject(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new CodecError('The object to encode is not valid JSON.');
  }
}

function toBytes(func: ScriptFunction, result: string): Uint8Array {
  const list: unknown = JSON.parse(result);
  const isByte = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
  if (!Array.isArray(list) || !list.every(isByte)) {
    const returned = func === 'Encode' ? 'an array' : '`bytes` with an array';
    throw new CodecError(`${func} must return ${returned} of whole numbers from 0 to 255.`);
  }
  return Uint8Array.from(list as number[]);
}
