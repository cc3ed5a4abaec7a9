/**
 * Proto3 JSON to messages, as liberal as the standard: JSON and proto names (the JSON name wins), unknown members
 * ignored, null = not given, numbers also quoted, enums by name or number.
 */
import { create } from './create.ts';
import { parseDuration } from './duration.ts';
import type { Enumeration } from './enumeration.ts';
import type { InitOf, Kind, MapOf, Message, MessageOf, Scalar } from './message.ts';
import { protoName } from './message.ts';
import { RpcError } from './status.ts';
import { parseTimestamp } from './timestamp.ts';

/**
 * The message in a parsed JSON value. @throws RpcError InvalidArgument naming the member (`rxInfo[0].rssi`) whose value
 * does not fit.
 */
export function fromJson<M extends Message>(type: M, json: unknown): MessageOf<M> {
  return create(type, readMessage(type, json, '') as InitOf<M>);
}

function readMessage(type: Message, json: unknown, path: string): object {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) refuse(path, 'an object');
  const given = json as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  const chosen = new Map<string, string>();
  for (const [name, [, kind, options]] of Object.entries(type.fields)) {
    const value = own(given, name) ?? own(given, protoName(name, options));
    if (value === undefined || value === null) continue;
    const at = path ? `${path}.${name}` : name;
    if (options?.oneof) {
      const rival = chosen.get(options.oneof);
      if (rival) throw new RpcError('InvalidArgument', `${at} and ${rival} exclude each other: give one of them`);
      chosen.set(options.oneof, name);
    }
    read[name] = readKind(kind, value, at);
  }
  return read;
}

function own(given: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function readKind(kind: Kind, json: unknown, path: string): unknown {
  if (typeof kind !== 'string') {
    if (kind.kind === 'message') return readMessage(kind, json, path);
    if (kind.kind === 'enum') return readEnum(kind, json, path);
    if (kind.kind === 'map') return readMap(kind, json, path);
    if (!Array.isArray(json)) refuse(path, 'a list');
    return (json as unknown[]).map((item, index) => readKind(kind.item, item, `${path}[${index}]`));
  }
  if (kind === 'timestamp') {
    return readText(json, path, 'an RFC 3339 time such as 2023-03-01T10:15:30Z', parseTimestamp);
  }
  if (kind === 'duration') return readText(json, path, 'a duration with unit such as 30s', parseDuration);
  return readScalar(kind, json, path);
}

function readEnum(kind: Enumeration, json: unknown, path: string): string {
  const name = typeof json === 'number' ? kind.names.get(json) : json;
  if (typeof name !== 'string' || !Object.hasOwn(kind.numbers, name)) {
    refuse(path, `one of ${Object.keys(kind.numbers).join(', ')}`);
  }
  return name as string;
}

function readMap(kind: MapOf, json: unknown, path: string): object {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) refuse(path, 'an object');
  const entries = Object.entries(json as object).map(([key, value]) => {
    if (kind.key === 'uint32') readScalar('uint32', key, `the keys of ${path}`);
    return [key, readScalar(kind.value, value, `${path}.${key}`)];
  });
  return Object.fromEntries(entries);
}

function readScalar(kind: Scalar, json: unknown, path: string): unknown {
  switch (kind) {
    case 'bool':
      return typeof json === 'boolean' ? json : refuse(path, 'true or false');
    case 'string':
      return typeof json === 'string' ? json : refuse(path, 'text');
    case 'bytes':
      return readText(json, path, 'standard base64 with padding', parseBase64);
    case 'double':
    case 'float':
      return readNumber(json, path);
    case 'int64':
    case 'uint64':
      return readInteger64(kind, json, path);
    default:
      return readInteger32(kind, json, path);
  }
}

function readText<T>(json: unknown, path: string, wanted: string, parse: (text: string) => T | undefined): T {
  const value = typeof json === 'string' ? parse(json) : undefined;
  return value ?? refuse(path, wanted);
}

function parseBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' });
  } catch {
    return undefined;
  }
}

const specialNumbers: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function readNumber(json: unknown, path: string): number {
  if (typeof json === 'number') return json;
  if (typeof json === 'string') {
    if (Object.hasOwn(specialNumbers, json)) return specialNumbers[json]!;
    if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(json)) return Number(json);
  }
  return refuse(path, 'a number');
}

function readInteger32(kind: 'int32' | 'uint32', json: unknown, path: string): number {
  const number = typeof json === 'string' && /^-?\d+$/.test(json) ? Number(json) : json;
  const [min, max] = kind === 'uint32' ? [0, 2 ** 32 - 1] : [-(2 ** 31), 2 ** 31 - 1];
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number + 0;
  return refuse(path, `a whole number from ${min} to ${max}`);
}

function readInteger64(kind: 'int64' | 'uint64', json: unknown, path: string): string {
  const text = typeof json === 'number' && Number.isSafeInteger(json) ? String(json) : json;
  if (typeof text === 'string' && /^-?\d{1,20}$/.test(text)) {
    const value = BigInt(text);
    const fits = kind === 'uint64' ? BigInt.asUintN(64, value) === value : BigInt.asIntN(64, value) === value;
    if (fits) return String(value);
  }
  return refuse(path, 'a whole number of 64 bits');
}

function refuse(path: string, wanted: string): never {
  throw new RpcError('InvalidArgument', `${path || 'the message'} must be ${wanted}`);
}
