/**
 * Semtech UDP datagrams: one byte version, two bytes token, one byte identifier, then in datagrams of a gateway its
 * EUI, then JSON. `decodeHeader` reads the fixed part only, so that unknown gateways cost no JSON parsing.
 */

import { JsonFields } from '../json-fields.ts';
import { PacketError } from '../packet-error.ts';

export type Version = 1 | 2;

const identifiers = ['PUSH_DATA', 'PUSH_ACK', 'PULL_DATA', 'PULL_RESP', 'PULL_ACK', 'TX_ACK'] as const;
export type PacketType = (typeof identifiers)[number];

type FromGateway = 'PUSH_DATA' | 'PULL_DATA' | 'TX_ACK';
const fromGateway: readonly string[] = ['PUSH_DATA', 'PULL_DATA', 'TX_ACK'] satisfies FromGateway[];

/** The fixed part. `token` is echoed by acknowledgements; `gatewayID` is lower-case hex. */
type HeaderOf<Type extends PacketType> = { readonly type: Type; readonly version: Version; readonly token: number };
type GatewayHeader<Type extends PacketType> = HeaderOf<Type> & { readonly gatewayID: string };
export type Header = GatewayHeader<FromGateway> | HeaderOf<Exclude<PacketType, FromGateway>>;

/** Uplinks and statistics; `uplinksOf` and `statsOf` check the JSON objects later. */
export type PushData = GatewayHeader<'PUSH_DATA'> & { readonly rxpk: readonly unknown[]; readonly stat: unknown };
export type PushAck = HeaderOf<'PUSH_ACK'>;
export type PullData = GatewayHeader<'PULL_DATA'>;
export type PullAck = HeaderOf<'PULL_ACK'>;
/** A downlink; `readTxpk` checks its JSON. */
export type PullResp = HeaderOf<'PULL_RESP'> & { readonly txpk: unknown };
/** The result of a downlink: it was sent when both texts are empty. */
export type TxAck = GatewayHeader<'TX_ACK'> & { readonly error: string; readonly warn: string };
export type Packet = PushData | PushAck | PullData | PullAck | PullResp | TxAck;

const headerLength = 4;
const bodyStart = 12;

/** @throws PacketError when the header is invalid. */
export function decodeHeader(bytes: Uint8Array): Header {
  if (bytes.length < headerLength) {
    throw new PacketError('short', `a datagram has at least ${headerLength} bytes, this one ${bytes.length}`);
  }
  const version = bytes[0];
  if (version !== 1 && version !== 2) throw new PacketError('version', `protocol version ${version} is not known`);
  const type = identifiers[bytes[3]!];
  if (!type) throw new PacketError('identifier', `packet identifier ${bytes[3]} is not known`);
  const token = bytes[1]! | (bytes[2]! << 8);
  if (!isFromGateway(type)) return { type, version, token };
  if (bytes.length < bodyStart) throw new PacketError('short', `${type} ends before the gateway EUI is complete`);
  return { type, version, token, gatewayID: bytes.subarray(headerLength, bodyStart).toHex() };
}

function isFromGateway(type: PacketType): type is FromGateway {
  return fromGateway.includes(type);
}

/** Decodes the whole datagram. Parses its JSON without checking the objects. @throws PacketError */
export function decodePacket(bytes: Uint8Array): Packet {
  const header = decodeHeader(bytes);
  switch (header.type) {
    case 'PUSH_DATA': {
      const body = new JsonFields(parseJson(bytes.subarray(bodyStart)), 'PUSH_DATA');
      return { ...header, type: header.type, rxpk: body.list('rxpk'), stat: body.value('stat') };
    }
    case 'PULL_RESP': {
      const body = new JsonFields(parseJson(bytes.subarray(headerLength)), 'PULL_RESP');
      return { ...header, type: header.type, txpk: body.value('txpk') };
    }
    case 'TX_ACK':
      return { ...header, type: header.type, ...decodeTxAck(bytes.subarray(bodyStart)) };
    case 'PULL_DATA':
      return { ...header, type: exactly(bodyStart, bytes, header.type) };
    default:
      return { ...header, type: exactly(headerLength, bytes, header.type) };
  }
}

function exactly<Type extends PacketType>(length: number, bytes: Uint8Array, type: Type): Type {
  if (bytes.length !== length) {
    throw new PacketError('length', `${type} has ${length} bytes, this one ${bytes.length}`);
  }
  return type;
}

/** No body, a single NUL and an empty object all mean that the downlink was sent. */
function decodeTxAck(body: Uint8Array): { error: string; warn: string } {
  if (withoutNul(body).length === 0) return { error: '', warn: '' };
  const json = new JsonFields(parseJson(body), 'TX_ACK');
  if (!json.has('txpk_ack')) return { error: '', warn: '' };
  const acknowledgement = json.object('txpk_ack');
  return { error: acknowledgement.text('error', ''), warn: acknowledgement.text('warn', '') };
}

const utf8 = new TextDecoder();

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(withoutNul(bytes)));
  } catch {
    throw new PacketError('json', 'the body is not JSON');
  }
}

function withoutNul(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

/** Encodes a packet; fields of `rxpk`, `stat` and `txpk` are written as given. */
export function encodePacket(packet: Packet): Uint8Array {
  const body = encodeBody(packet);
  const eui = 'gatewayID' in packet ? Uint8Array.fromHex(packet.gatewayID) : new Uint8Array();
  const bytes = new Uint8Array(headerLength + eui.length + body.length);
  bytes.set([packet.version, packet.token & 0xff, packet.token >> 8, identifiers.indexOf(packet.type)]);
  bytes.set(eui, headerLength);
  bytes.set(body, headerLength + eui.length);
  return bytes;
}

function encodeBody(packet: Packet): Uint8Array {
  switch (packet.type) {
    case 'PUSH_DATA':
      return encodeJson({
        ...(packet.rxpk.length > 0 && { rxpk: packet.rxpk }),
        ...(packet.stat !== undefined && { stat: packet.stat }),
      });
    case 'PULL_RESP':
      return encodeJson({ txpk: packet.txpk });
    case 'TX_ACK':
      if (!packet.error && !packet.warn) return new Uint8Array();
      return encodeJson({
        txpk_ack: { ...(packet.error && { error: packet.error }), ...(packet.warn && { warn: packet.warn }) },
      });
    default:
      return new Uint8Array();
  }
}

function encodeJson(json: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(json));
}
