/** Messages to the protobuf wire format: members in table order, defaults left out, numbers of a list packed. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { splitDuration } from './duration.ts';
import type { Enumeration } from './enumeration.ts';
import type { Kind, MapOf, Message, MessageOf, Scalar, Single, Timestamp } from './message.ts';
import { wireTypeOf } from './wire-type.ts';

type Write = (writer: BinaryWriter, value: unknown) => void;

/** A buffer that has grown to the size of usual messages and is used again. A larger one is dropped. */
let reusedWriter: BinaryWriter | undefined;
const mostKept = 64 * 1024;

/** The bytes of a message. */
export function toBinary<M extends Message>(type: M, value: MessageOf<M>): Uint8Array {
  const writer = reusedWriter ?? new BinaryWriter();
  // An exception leaves a partial message behind.
  reusedWriter = undefined;
  writerOf(type)(writer, value);
  const bytes = writer.finish();
  if (bytes.length <= mostKept) reusedWriter = writer;
  return bytes;
}

const writers = new WeakMap<Message, Write>();

function writerOf(type: Message): Write {
  let write = writers.get(type);
  if (!write) {
    write = compile(type);
    writers.set(type, write);
  }
  return write;
}

function compile(type: Message): Write {
  const members = Object.entries(type.fields).map(([name, [number, kind, options]]) => ({
    name,
    write: member(number, kind, options?.oneof !== undefined),
  }));
  return (writer, value) => {
    const from = value as Readonly<Record<string, unknown>>;
    for (const { name, write } of members) write(writer, from[name]);
  };
}

/** A chosen member of a oneof is written even with the default value, because its presence is information. */
function member(number: number, kind: Kind, inOneof: boolean): Write {
  if (typeof kind !== 'string') {
    if (kind.kind === 'repeated') return list(number, kind.item);
    if (kind.kind === 'map') return entries(number, kind);
  }
  const write = tagged(number, kind);
  if (inOneof) return (writer, value) => value !== undefined && write(writer, value);
  return (writer, value) => !isDefault(kind, value) && write(writer, value);
}

function isDefault(kind: Kind, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof kind !== 'string') return kind.kind === 'enum' && value === kind.zero;
  if (kind === 'bytes') return (value as Uint8Array).length === 0;
  if (kind === 'timestamp' || kind === 'duration') return false;
  // -0 has bits of its own in the floating-point kinds.
  return value === false || value === '' || value === '0' || Object.is(value, 0);
}

function list(number: number, item: Single): Write {
  const wireType = wireTypeOf(item);
  const write = wireType === WireType.LengthDelimited ? tagged(number, item) : plain(item);
  if (wireType === WireType.LengthDelimited)
    return (writer, value) => {
      for (const one of (value as readonly unknown[] | undefined) ?? []) write(writer, one);
    };
  return (writer, value) => {
    const items = (value as readonly unknown[] | undefined) ?? [];
    if (items.length === 0) return;
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const one of items) write(writer, one);
    writer.join();
  };
}

function entries(number: number, { key, value: kind }: MapOf): Write {
  const writeKey = tagged(1, key);
  const writeValue = tagged(2, kind);
  return (writer, value) => {
    for (const [name, one] of Object.entries((value as object | undefined) ?? {})) {
      writer.tag(number, WireType.LengthDelimited).fork();
      writeKey(writer, key === 'uint32' ? Number(name) : name);
      writeValue(writer, one);
      writer.join();
    }
  };
}

function tagged(number: number, kind: Kind): Write {
  const wireType = wireTypeOf(kind);
  const write = plain(kind);
  return (writer, value) => {
    writer.tag(number, wireType);
    write(writer, value);
  };
}

function plain(kind: Kind): Write {
  if (typeof kind === 'string') {
    if (kind === 'timestamp') return writeTimestamp;
    if (kind === 'duration') return writeDuration;
    return scalar(kind);
  }
  if (kind.kind === 'enum') {
    const { numbers } = kind as Enumeration;
    return (writer, value) => writer.int32(numbers[value as string] ?? 0);
  }
  return (writer, value) => {
    writer.fork();
    writerOf(kind as Message)(writer, value);
    writer.join();
  };
}

function scalar(kind: Scalar): Write {
  switch (kind) {
    case 'bool':
      return (writer, value) => writer.bool(value as boolean);
    case 'string':
      return (writer, value) => writer.string(value as string);
    case 'bytes':
      return (writer, value) => writer.bytes(value as Uint8Array);
    case 'double':
      return (writer, value) => writer.double(value as number);
    case 'float':
      return (writer, value) => writer.float(value as number);
    case 'int32':
      return (writer, value) => writer.int32(value as number);
    case 'uint32':
      return (writer, value) => writer.uint32(value as number);
    case 'int64':
      return (writer, value) => writer.int64(value as string);
    case 'uint64':
      return (writer, value) => writer.uint64(value as string);
  }
}

function writeTimestamp(writer: BinaryWriter, value: unknown): void {
  const time = value as Timestamp;
  const seconds = Math.floor(time.getTime() / 1000);
  writeSpan(writer, seconds, (time.getTime() - seconds * 1000) * 1e6 + (time.nanoseconds ?? 0));
}

function writeDuration(writer: BinaryWriter, value: unknown): void {
  const { sign, seconds, nanos } = splitDuration(value as number);
  writeSpan(writer, sign * seconds, sign * nanos);
}

function writeSpan(writer: BinaryWriter, seconds: number, nanos: number): void {
  writer.fork();
  if (seconds !== 0) writer.tag(1, WireType.Varint).int64(seconds);
  if (nanos !== 0) writer.tag(2, WireType.Varint).int32(nanos);
  writer.join();
}
