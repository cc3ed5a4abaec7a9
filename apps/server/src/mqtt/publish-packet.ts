/** A message as it leaves (MQTT 3.1.1 §3.3), made once for all who hear it. */
export interface PublishPacket {
  /** Up to the topic, for each quality of service. */
  readonly heads: readonly [qos0: Buffer, qos1: Buffer];
  readonly payload: Buffer;
}

export function publishPacket(topic: string, payload: Buffer): PublishPacket {
  const name = Buffer.from(topic);
  const head = (qos: 0 | 1) => {
    const variable = 2 + name.length + (qos === 1 ? 2 : 0);
    const lengths = [...varint(variable + payload.length), name.length >> 8, name.length & 0xff];
    return Buffer.concat([Uint8Array.of(0x30 | (qos << 1), ...lengths), name]);
  };
  return { heads: [head(0), head(1)], payload };
}

/** Its parts as they go into a socket; a packet identifier is for quality of service 1. */
export function partsOf({ heads, payload }: PublishPacket, messageID?: number): Buffer[] {
  if (messageID === undefined) return [heads[0], payload];
  return [heads[1], Buffer.of(messageID >> 8, messageID & 0xff), payload];
}

/** Seven bits a byte, the lowest first (§2.2.3). */
function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}
