/**
 * Messages from the protobuf wire format. Unknown members, and unknown numbers of an enum, are skipped, because the
 * sender may be newer. The last of several values counts; sub-messages of the same member are merged.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { create, defaultOf } from './create.ts';
import type { Kind, MapOf, Message, MessageOf, Scalar, Single, Timestamp } from './message.ts';
import { RpcError } from './status.ts';
import { timestamp } from './timestamp.ts';
import { wireTypeOf } from './wire-type.ts';

type Target = Record<string, unknown>;
type Member = { oneof: readonly string[]; read: (reader: BinaryReader, wireType: WireType, into: Target) => boolean };

/**
 * The message in these bytes; members of kind bytes are views into them. @throws RpcError InvalidArgument when they are
 * not such a message.
 */
export function fromBinary<M extends Message>(type: M, bytes: Uint8Array): MessageOf<M> {
  try {
    // A Buffer would return Buffers for its parts.
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    return read(type, new BinaryReader(plain)) as MessageOf<M>;
  } catch (error) {
    throw new RpcError('InvalidArgument', `The bytes are not a ${type.typeName}: ${(error as Error).message}.`);
  }
}

const tables = new WeakMap<Message, ReadonlyMap<number, Member>>();

function tableOf(type: Message): ReadonlyMap<number, Member> {
  let table = tables.get(type);
  if (!table) {
    table = compile(type);
    tables.set(type, table);
  }
  return table;
}

function compile(type: Message): ReadonlyMap<number, Member> {
  const fields = Object.entries(type.fields);
  return new Map(
    fields.map(([name, [number, kind, options]]) => {
      const oneof = fields
        .filter(
          ([rival, [, , other]]) => rival !== name && options?.oneof !== undefined && other?.oneof === options.oneof,
        )
        .map(([rival]) => rival);
      return [number, { oneof, read: member(name, kind) }];
    }),
  );
}

function read(type: Message, reader: BinaryReader, end = reader.len, known?: unknown): object {
  const into = (known ?? create(type)) as Target;
  const table = tableOf(type);
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const found = table.get(number);
    if (!found?.read(reader, wireType, into)) reader.skip(wireType, number);
    else for (const rival of found.oneof) delete into[rival];
  }
  if (reader.pos !== end) throw new RangeError('a part is longer than its announced length');
  return into;
}

/** Returns false without reading when the wire type does not match the kind. */
function member(name: string, kind: Kind): Member['read'] {
  if (typeof kind !== 'string') {
    if (kind.kind === 'repeated') return list(name, kind.item);
    if (kind.kind === 'map') return entry(name, kind);
    if (kind.kind === 'message')
      return (reader, wireType, into) => {
        if (wireType !== WireType.LengthDelimited) return false;
        const end = partEnd(reader);
        into[name] = read(kind, reader, end, into[name]);
        return true;
      };
  }
  const expected = wireTypeOf(kind);
  return (reader, wireType, into) => {
    if (wireType !== expected) return false;
    const value = single(kind as Single | 'timestamp' | 'duration', reader);
    if (value !== undefined) into[name] = value;
    return true;
  };
}

function list(name: string, item: Single): Member['read'] {
  const expected = wireTypeOf(item);
  return (reader, wireType, into) => {
    const add = () => {
      const value = single(item, reader);
      // A list of our own in a recorded message is absent until its first item.
      if (value !== undefined) ((into[name] ??= []) as unknown[]).push(value);
    };
    if (wireType === expected) add();
    else if (wireType !== WireType.LengthDelimited) return false;
    else {
      const end = partEnd(reader);
      while (reader.pos < end) add();
      if (reader.pos !== end) throw new RangeError('a packed list is longer than its announced length');
    }
    return true;
  };
}

function entry(name: string, { key: keyKind, value: valueKind }: MapOf): Member['read'] {
  const wireTypes = [WireType.LengthDelimited, wireTypeOf(keyKind), wireTypeOf(valueKind)];
  return (reader, wireType, into) => {
    if (wireType !== WireType.LengthDelimited) return false;
    const end = partEnd(reader);
    let key = defaultOf(keyKind);
    let value = defaultOf(valueKind);
    while (reader.pos < end) {
      const [number, type] = reader.tag();
      if (number === 1 && type === wireTypes[1]) key = scalar(keyKind, reader);
      else if (number === 2 && type === wireTypes[2]) value = scalar(valueKind, reader);
      else reader.skip(type, number);
    }
    // The sender chooses the name: `__proto__` must be a member like any other.
    Object.defineProperty(into[name], String(key), { value, enumerable: true, configurable: true, writable: true });
    return true;
  };
}

function single(kind: Single | 'timestamp' | 'duration', reader: BinaryReader): unknown {
  if (typeof kind === 'string') {
    if (kind === 'timestamp') return readTimestamp(reader);
    if (kind === 'duration') return readDuration(reader);
    return scalar(kind, reader);
  }
  if (kind.kind === 'enum') return kind.names.get(reader.int32());
  return read(kind, reader, partEnd(reader));
}

function scalar(kind: Scalar, reader: BinaryReader): unknown {
  switch (kind) {
    case 'int64':
      return String(reader.int64());
    case 'uint64':
      return String(reader.uint64());
    case 'string':
      return reader.string(true);
    default:
      return reader[kind]();
  }
}

/** The end of the part that begins here; reads its length. */
function partEnd(reader: BinaryReader): number {
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) throw new RangeError('the message is cut off');
  return end;
}

function readSpan(reader: BinaryReader): { seconds: number; nanos: number } {
  const end = partEnd(reader);
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.Varint) seconds = Number(reader.int64());
    else if (number === 2 && wireType === WireType.Varint) nanos = reader.int32();
    else reader.skip(wireType, number);
  }
  return { seconds, nanos };
}

const latestSecond = 253_402_300_799; // 9999-12-31T23:59:59Z
const earliestSecond = -62_135_596_800; // 0001-01-01T00:00:00Z

function readTimestamp(reader: BinaryReader): Timestamp {
  const { seconds, nanos } = readSpan(reader);
  if (seconds < earliestSecond || seconds > latestSecond || nanos < 0 || nanos >= 1e9)
    throw new RangeError('a time is outside the years 1 to 9999');
  return timestamp(seconds * 1000 + Math.floor(nanos / 1e6), nanos % 1e6);
}

function readDuration(reader: BinaryReader): number {
  const { seconds, nanos } = readSpan(reader);
  return seconds * 1000 + nanos / 1e6;
}
