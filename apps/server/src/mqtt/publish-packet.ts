import type { Receiver } from './signed-in.ts';

/** A PUBLISH packet (MQTT 3.1.1 and 5, §3.3), built once for all subscribers. */
export interface PublishPacket {
  /** The bytes up to the topic for each quality of service: for version 3.1.1, and for version 5 without properties. */
  readonly heads: Heads;
  readonly heads5: Heads;
  readonly payload: Buffer;
}

type Heads = readonly [qos0: Buffer, qos1: Buffer];

/** Version 5 has the length of the properties after the packet identifier: there are none. */
const propertiesBytes = 1;

export function publishPacket(topic: string, payload: Buffer): PublishPacket {
  const name = Buffer.from(topic);
  const headsOf = (extra: number): Heads => [
    headOf(name, 0, payload.length + extra),
    headOf(name, 1, payload.length + extra),
  ];
  let heads5: Heads | undefined;
  return {
    heads: headsOf(0),
    get heads5() {
      return (heads5 ??= headsOf(propertiesBytes));
    },
    payload,
  };
}

function headOf(name: Buffer, qos: 0 | 1, rest: number): Buffer {
  const variable = 2 + name.length + (qos === 1 ? 2 : 0);
  const lengths = [...varint(variable + rest), name.length >> 8, name.length & 0xff];
  return Buffer.concat([Uint8Array.of(0x30 | (qos << 1), ...lengths), name]);
}

/** The parts to write into a socket. Quality of service 1 needs a packet identifier. */
export function partsOf(packet: PublishPacket, { version }: Pick<Receiver, 'version'>, messageID?: number): Buffer[] {
  const [qos0, qos1] = version === 5 ? packet.heads5 : packet.heads;
  const properties = version === 5 ? [0] : [];
  if (messageID !== undefined)
    return [qos1, Buffer.of(messageID >> 8, messageID & 0xff, ...properties), packet.payload];
  return version === 5 ? [qos0, Buffer.from(properties), packet.payload] : [qos0, packet.payload];
}

/** The size of the packet for the receiver. */
export function sizeOf(packet: PublishPacket, { version }: Pick<Receiver, 'version'>, qos: 0 | 1): number {
  const head = (version === 5 ? packet.heads5 : packet.heads)[qos];
  return head.length + (qos === 1 ? 2 : 0) + (version === 5 ? propertiesBytes : 0) + packet.payload.length;
}

/** Encodes a length: seven bits per byte, the lowest first (§1.5.5 of version 5). */
function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}
