import { generate, type IConnectPacket, type Packet, parser, writeToStream } from 'mqtt-packet';
import { type Reason, reasons } from './reasons.ts';
import { mostUnacknowledgedFromClient, type Receiver } from './signed-in.ts';

/** By default the first packet makes a buffer for each number of two bytes: 8 MB, and 25 ms. */
writeToStream.cacheNumbers = false;

export const pubAck = 0x40;
export const pubRec = 0x50;
export const pubComp = 0x70;
export const pingResponse = Buffer.of(0xd0, 0);
/** In seconds; longer keep-alive intervals are shortened. */
export const longestKeepAlive = 1_200;

/** Encodes packets for one client, in the version and up to the size that its CONNECT names. */
export class PacketEncoder {
  version: Receiver['version'] = 4;
  mostPacketBytes = Number.POSITIVE_INFINITY;

  encode(packet: Packet): Buffer {
    // The encoder omits the reason text when the packet would be too large for the client.
    const properties = Number.isFinite(this.mostPacketBytes) ? { maximumPacketSize: this.mostPacketBytes } : {};
    return generate(packet, { protocolVersion: this.version, properties } as never);
  }

  disconnect(reason: Reason): Buffer {
    const { code, text } = reasons[reason];
    return this.encode({ cmd: 'disconnect', reasonCode: code, properties: { reasonString: text } });
  }

  /** The CONNACK that refuses a connection; undefined when the version has no code for the reason. */
  refusal(reason: Reason): Buffer | undefined {
    const { code, text, ...known } = reasons[reason];
    if (this.version === 5)
      return this.encode({
        cmd: 'connack',
        sessionPresent: false,
        reasonCode: code,
        properties: { reasonString: text },
      });
    const returnCode = 'returnCode' in known ? known.returnCode : undefined;
    return returnCode && this.encode({ cmd: 'connack', sessionPresent: false, returnCode });
  }

  /**
   * The CONNACK that accepts a connection. The broker stores no sessions and no retained messages, whatever the client
   * requests.
   */
  welcome({ clientId, keepalive = 0 }: IConnectPacket, given: { clientID: string; mostBytes: number }): Buffer {
    if (this.version !== 5) return this.encode({ cmd: 'connack', sessionPresent: false, returnCode: 0 });
    const properties = {
      sessionExpiryInterval: 0,
      receiveMaximum: mostUnacknowledgedFromClient,
      maximumQoS: 1,
      retainAvailable: false,
      maximumPacketSize: given.mostBytes,
      ...(clientId === '' && { assignedClientIdentifier: given.clientID }),
      ...(keepalive > longestKeepAlive && { serverKeepAlive: longestKeepAlive }),
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
    };
    return this.encode({ cmd: 'connack', sessionPresent: false, reasonCode: 0, properties });
  }
}

/** PUBACK, PUBREC and PUBCOMP; without a reason they are the same in all versions. */
export function acknowledgement(type: number, messageID: number, reason?: Reason): Buffer {
  const identifier = [messageID >> 8, messageID & 0xff];
  return reason ? Buffer.of(type, 3, ...identifier, reasons[reason].code) : Buffer.of(type, 2, ...identifier);
}

/** Parses one complete packet; undefined when it is malformed. */
export function createParser(): (bytes: Buffer) => Packet | undefined {
  const reading = parser();
  let found: Packet | undefined;
  let isMalformed = false;
  reading.on('packet', (packet: Packet) => (found = packet));
  reading.on('error', () => (isMalformed = true));
  return (bytes) => {
    found = undefined;
    try {
      reading.parse(bytes);
    } catch {
      isMalformed = true;
    }
    return isMalformed || hasTruncatedProperty(found) ? undefined : found;
  };
}

/** The parser returns -1, null or undefined for a property that ends too early. */
function hasTruncatedProperty(packet: Packet | undefined): boolean {
  const properties = packet && 'properties' in packet ? packet.properties : undefined;
  if (!properties) return false;
  const { userProperties = {}, ...others } = properties as { userProperties?: Record<string, unknown> };
  const isTruncated = (value: unknown) => value === -1 || value === null || value === undefined;
  return [...Object.values(userProperties), ...Object.values(others)].flat().some(isTruncated);
}
