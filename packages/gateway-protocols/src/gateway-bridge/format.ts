/** The four formats of gateways: version 3 or 4, as JSON or protobuf. */
import {
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  type MessageOf,
  RpcError,
  toBinary,
  toJson,
} from '@hilltop/protobuf';
import { PacketError } from '../packet-error.ts';

export interface BridgeFormat {
  readonly version: 3 | 4;
  readonly encoding: 'json' | 'protobuf';
}

/** The format for a gateway before its first message. */
export const usualFormat: BridgeFormat = { version: 3, encoding: 'protobuf' };

/** A message of both versions; the gateway model follows version 3. */
export interface Kind<V3 extends Message, V4 extends Message> {
  v3: V3;
  v4: V4;
  gatewayID: (message: MessageOf<V3>) => Uint8Array;
  /** Empty for messages that version 4 does not have. */
  gatewayID4: (message: MessageOf<V4>) => string;
  fromV4: (message: MessageOf<V4>, gatewayID: Uint8Array) => MessageOf<V3>;
  toV4: (message: MessageOf<V3>, gatewayId: string) => MessageOf<V4>;
  /** Converts fields whose JSON in version 4 differs from the declared message. */
  adaptJSON4?: (json: Readonly<Record<string, unknown>>) => unknown;
}

const brace = 0x7b;
/** No protobuf message here begins with a byte order mark, a blank or a line end. */
const blank: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/** @throws PacketError when the bytes are not such a message, or belong to another gateway. */
export function decode<V3 extends Message, V4 extends Message>(
  kind: Kind<V3, V4>,
  gatewayID: string,
  bytes: Uint8Array,
): { format: BridgeFormat; message: MessageOf<V3> } {
  const encoding = bytes.find((byte) => !blank.includes(byte)) === brace ? 'json' : 'protobuf';
  try {
    const read = encoding === 'json' ? readJSON(kind, bytes) : readBinary(kind, bytes);
    const named = 'v4' in read ? kind.gatewayID4(read.v4).toLowerCase() : kind.gatewayID(read.v3).toHex();
    if (named !== gatewayID) throw new PacketError('foreign-id', 'the message names another gateway than its topic');
    if ('v3' in read) return { format: { version: 3, encoding }, message: read.v3 };
    const message = kind.fromV4(read.v4, Uint8Array.fromHex(gatewayID));
    return { format: { version: 4, encoding }, message };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new PacketError(encoding === 'json' ? 'field' : 'protobuf', error.message);
  }
}

type Read<V3 extends Message, V4 extends Message> = { v3: MessageOf<V3> } | { v4: MessageOf<V4> };

function readJSON<V3 extends Message, V4 extends Message>(kind: Kind<V3, V4>, bytes: Uint8Array): Read<V3, V4> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new PacketError('json', 'the JSON is broken');
  }
  const given = json as Readonly<Record<string, unknown>>;
  const naming = given['rxInfo'] ?? given;
  const isV4 = typeof naming === 'object' && typeof (naming as { gatewayId?: unknown }).gatewayId === 'string';
  if (!isV4) return { v3: fromJson(kind.v3, json) };
  return { v4: fromJson(kind.v4, kind.adaptJSON4?.(given) ?? given) };
}

/** Each version has its own fields for the id of the gateway; a bridge that sets both uses version 4. */
function readBinary<V3 extends Message, V4 extends Message>(kind: Kind<V3, V4>, bytes: Uint8Array): Read<V3, V4> {
  const v4 = fromBinary(kind.v4, bytes);
  return kind.gatewayID4(v4) === '' ? { v3: fromBinary(kind.v3, bytes) } : { v4 };
}

/** Encodes a message in the format of the gateway. */
export function encode<V3 extends Message, V4 extends Message>(
  kind: Kind<V3, V4>,
  { version, encoding }: BridgeFormat,
  message: MessageOf<V3>,
): Uint8Array {
  if (version === 3) return write(kind.v3, encoding, message);
  return write(kind.v4, encoding, kind.toV4(message, kind.gatewayID(message).toHex()));
}

function write<M extends Message>(type: M, encoding: BridgeFormat['encoding'], message: MessageOf<M>): Uint8Array {
  if (encoding === 'protobuf') return toBinary(type, message);
  return new TextEncoder().encode(JSON.stringify(toJson(type, message), withoutNulls));
}

/** Omits unset fields, because strict readers do not accept null. */
function withoutNulls(_name: string, value: JsonValue): JsonValue | undefined {
  return value === null ? undefined : value;
}
