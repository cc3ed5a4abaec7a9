import { decodeCayenneLpp, encodeCayenneLpp } from './cayenne-lpp.ts';
import { CodecError } from './codec-error.ts';
import { type JavaScriptSandbox, type SandboxSettings, startJavaScriptSandbox } from './javascript.ts';

/** How the payloads of a device become objects and back: the codec of its device profile, by name. */
export type Codec = { codec: string; encoderScript: string; decoderScript: string };

export type PayloadCodecs = {
  /**
   * The decoded object as JSON text, '' without a codec.
   * Throws CodecError with a message for users when the payload or the script is at fault.
   */
  decode(
    codec: Codec,
    uplink: { application: string; fPort: number; bytes: Uint8Array; variables: Record<string, string> },
  ): Promise<string>;
  /** The payload of an object in JSON text. Throws CodecError, also without a codec. */
  encode(
    codec: Codec,
    downlink: { application: string; fPort: number; json: string; variables: Record<string, string> },
  ): Promise<Uint8Array>;
  stop(): Promise<void>;
};

type CodecKind = {
  decode(sandbox: JavaScriptSandbox, codec: Codec, uplink: Parameters<PayloadCodecs['decode']>[1]): Promise<string>;
  encode(
    sandbox: JavaScriptSandbox,
    codec: Codec,
    downlink: Parameters<PayloadCodecs['encode']>[1],
  ): Promise<Uint8Array>;
};

const kinds: Record<string, CodecKind> = {
  '': {
    decode: () => Promise.resolve(''),
    encode: () =>
      Promise.reject(
        new CodecError('This device has no payload codec: choose one on its device-profile, or send data.'),
      ),
  },
  CAYENNE_LPP: {
    decode: async (_, __, { bytes }) => JSON.stringify(decodeCayenneLpp(bytes)),
    encode: async (_, __, { json }) => encodeCayenneLpp(parseObject(json)),
  },
  CUSTOM_JS: {
    decode: (sandbox, { decoderScript: script }, { application: owner, fPort, bytes, variables }) =>
      sandbox.run({ owner, name: 'Decode', script, fPort, input: [...bytes], variables }),
    encode: async (sandbox, { encoderScript: script }, { application: owner, fPort, json, variables }) =>
      toBytes(await sandbox.run({ owner, name: 'Encode', script, fPort, input: parseObject(json), variables })),
  },
};

/** Starts the codecs. Cayenne LPP runs on this thread, scripts run in sandbox threads. */
export function startPayloadCodecs(settings?: SandboxSettings): PayloadCodecs {
  const sandbox = startJavaScriptSandbox(settings);
  const kindOf = (codec: Codec) => {
    const kind = kinds[codec.codec];
    if (!kind)
      throw new CodecError(`The payload codec "${codec.codec}" is not known: choose none, CAYENNE_LPP or CUSTOM_JS.`);
    return kind;
  };
  return {
    decode: async (codec, uplink) => kindOf(codec).decode(sandbox, codec, uplink),
    encode: async (codec, downlink) => kindOf(codec).encode(sandbox, codec, downlink),
    stop: () => sandbox.stop(),
  };
}

function parseObject(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new CodecError('The object to encode is not valid JSON.');
  }
}

function toBytes(result: string): Uint8Array {
  const list: unknown = JSON.parse(result);
  const isByte = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
  if (!Array.isArray(list) || !list.every(isByte)) {
    throw new CodecError('Encode must return an array of whole numbers from 0 to 255.');
  }
  return Uint8Array.from(list as number[]);
}
