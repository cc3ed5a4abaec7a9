/**
 * Messages to proto3 JSON as the console and the integrations read it: every member present, unset bytes and
 * sub-messages null, the oneof members that were not chosen left out, 64-bit integers as text, map keys sorted.
 */
import { compileMapper } from './compile-mapper.ts';
import { formatDuration } from './duration.ts';
import type { Enumeration } from './enumeration.ts';
import type { Fields, Kind, MapOf, Message, MessageOf, Repeated, ScalarValues } from './message.ts';
import { formatTimestamp } from './timestamp.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
export type JsonObject = { [name: string]: JsonValue };

type JsonOfKind<K> = K extends 'bytes' | 'timestamp' | 'duration'
  ? string | null
  : K extends keyof ScalarValues
    ? ScalarValues[K]
    : K extends Enumeration<infer Name>
      ? Name
      : K extends Repeated<infer Item>
        ? NonNullable<JsonOfKind<Item>>[]
        : K extends MapOf<infer Value>
          ? Record<string, JsonOfKind<Value>>
          : K extends Message
            ? JsonOf<K> | null
            : never;

type JsonOfFields<F extends Fields> = {
  readonly [K in keyof F as F[K] extends InOneof ? never : K]: JsonOfKind<F[K][1]>;
} & { readonly [K in keyof F as F[K] extends InOneof ? K : never]?: NonNullable<JsonOfKind<F[K][1]>> };
type InOneof = readonly [number, Kind, { readonly oneof: string }];

/** The JSON value of a message. Bytes are base64, times RFC 3339, durations such as `1.500s`. */
export type JsonOf<M> = M extends Message<infer F> ? { [K in keyof JsonOfFields<F>]: JsonOfFields<F>[K] } : never;

type Encode = (value: unknown) => JsonValue;

/** The message as a JSON object, ready to be embedded in another one. */
export function toJson<M extends Message>(type: M, value: MessageOf<M>): JsonObject {
  return encoderOf(type)(value) as JsonObject;
}

/** The message as JSON text. */
export function toJsonText<M extends Message>(type: M, value: MessageOf<M>): string {
  return JSON.stringify(encoderOf(type)(value));
}

// Thousands of uplink events per second are written here, so each table is compiled once per message type.
const encoders = new WeakMap<Message, Encode>();

function encoderOf(type: Message): Encode {
  let encode = encoders.get(type);
  if (!encode) {
    encode = compile(type);
    encoders.set(type, encode);
  }
  return encode;
}

function compile(type: Message): Encode {
  const members = Object.entries(type.fields).map(([name, [, kind, options]]) => ({
    name,
    ...(isJsonAlready(kind)
      ? { code: (member: string) => member }
      : {
          code: (member: string, map: string) => `${map}(${member})`,
          map: encodeKind(kind) as (value: never) => JsonValue,
        }),
    isOptional: options?.oneof !== undefined,
  }));
  return compileMapper(members) as Encode;
}

/** Whether values of this kind are JSON values. */
function isJsonAlready(kind: Kind): boolean {
  if (typeof kind !== 'string') return kind.kind === 'enum';
  return !['bytes', 'timestamp', 'duration', 'double', 'float'].includes(kind);
}

function encodeKind(kind: Kind): Encode {
  if (typeof kind !== 'string') {
    switch (kind.kind) {
      case 'message': {
        const encode = encoderOf(kind);
        return (value) => (value === null ? null : encode(value));
      }
      case 'repeated': {
        const encode = encodeKind(kind.item);
        return (value) => (value as readonly unknown[]).map(encode);
      }
      case 'map': {
        const encode = encodeKind(kind.value);
        return (value) => sortedMap(value as Readonly<Record<string, unknown>>, encode);
      }
      case 'enum':
        return (value) => value as string;
    }
  }
  switch (kind) {
    case 'bytes':
      return (value) => ((value as Uint8Array).length === 0 ? null : (value as Uint8Array).toBase64());
    case 'timestamp':
      return (value) => (value === null ? null : formatTimestamp(value as Date));
    case 'duration':
      return (value) => (value === null ? null : formatDuration(value as number));
    case 'double':
      return (value) => finite(value as number);
    case 'float':
      return (value) => finite(shortest(value as number));
    default:
      return (value) => value as string | number | boolean;
  }
}

function sortedMap(map: Readonly<Record<string, unknown>>, encode: Encode): JsonObject {
  const keys = Object.keys(map).sort();
  return Object.fromEntries(keys.map((key) => [key, encode(map[key])]));
}

function finite(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}

/** The shortest decimal that is the same 32-bit float. */
function shortest(value: number): number {
  const single = Math.fround(value);
  if (Number.isInteger(single) && Math.abs(single) < 1e6) return single;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return Number(single.toPrecision(9));
}
