import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ErrorBoundary } from '@hilltop/network-server';
import type { IConnectPacket, ISubscribePacket, IUnsubscribePacket, Packet } from 'mqtt-packet';
import { createParser, longestKeepAlive, PacketEncoder, pingResponse } from './packet-codec.ts';
import { type PacketHeader, type PacketReader, readPackets } from './packets.ts';
import { PublishedMessages } from './published-messages.ts';
import { type Reason, Refusal, reasons } from './reasons.ts';
import type { Receiver, SignedIn } from './signed-in.ts';

/** The credentials and limits in the CONNECT of a client. */
export interface SignInRequest {
  clientID: string;
  username: string | undefined;
  password: string | undefined;
  receiver: Receiver;
}

/** One connection, in MQTT 3.1, 3.1.1 or 5, whichever its CONNECT names. */
export interface Protocol {
  clientID: () => string;
  isClosed: () => boolean;
  /** Ends the connection; a client of version 5 gets the reason in DISCONNECT. */
  close: (reason: Reason) => void;
}

interface ProtocolDependencies {
  /** The largest packet now, in bytes. */
  mostBytes: () => number;
  /** The milliseconds to wait before the body of a packet is read. */
  wait: (packet: PacketHeader) => number;
  /** Charges bytes that cost more to parse than a usual packet to the rate limit. */
  charge: (bytes: number) => void;
  /** Resolves when the rate limit allows the next message. */
  pace: () => Promise<void>;
  /** Rejects with a Refusal for a client that may not connect. */
  signIn: (request: SignInRequest) => Promise<SignedIn>;
  /** Called when a request was refused and the connection continues. */
  onRefused: (what: 'subscribe') => void;
  /** A request failed for another reason than a Refusal; the connection ends with `unavailable`. */
  onFailure: (error: unknown) => void;
  /** Called once with the reason why the server ended the connection; undefined when the client did. */
  onEnd: (reason: Reason | undefined, client: { clientID: string; isSignedIn: boolean }) => void;
  boundary: ErrorBoundary;
}

const connectWithinMs = 10_000;
/** The most unsent bytes of answers to a client, in addition to events. */
const mostUnsentBytes = 1 << 20;
/** How long a client may take to read the last packet before it is disconnected. */
const lingerMs = 1_000;
/** Bytes of a packet besides its payload that are not charged. */
const usualBytes = 512;

export function startProtocol(stream: Duplex, needed: ProtocolDependencies): Protocol {
  return new ProtocolConnection(stream, needed);
}

/** States: waiting for CONNECT, signing in, signed in, closed. */
class ProtocolConnection implements Protocol {
  readonly #stream: Duplex;
  readonly #needs: ProtocolDependencies;
  readonly #encoder = new PacketEncoder();
  readonly #parse = createParser();
  readonly #reader: PacketReader;
  readonly #messages: PublishedMessages;
  readonly #connectTimer: NodeJS.Timeout;
  #keepAlive: NodeJS.Timeout | undefined;
  #clientID = '';
  #hasConnected = false;
  #signedIn: SignedIn | undefined;
  #isClosed = false;

  constructor(stream: Duplex, needed: ProtocolDependencies) {
    this.#stream = stream;
    this.#needs = needed;
    const { boundary } = needed;
    this.#messages = new PublishedMessages({
      stream,
      boundary,
      version: () => this.#encoder.version,
      isClosed: () => this.#isClosed,
      pace: needed.pace,
      publish: (message) => this.#signedIn!.publish(message),
      send: (bytes) => this.#send(bytes),
      close: (reason) => this.close(reason),
      onFailure: needed.onFailure,
    });
    this.#connectTimer = setTimeout(
      boundary.guard(stream, () => this.close('connect_timeout')),
      connectWithinMs,
    );
    this.#reader = readPackets(stream, {
      mostBytes: needed.mostBytes,
      wait: needed.wait,
      onPacket: (bytes) => this.#receive(bytes),
      onTooLarge: () => this.close('packet_size'),
      onMalformed: () => this.close('malformed'),
      boundary,
    });
    stream.on('error', () => stream.destroy());
    stream.once('end', () => stream.destroy());
    stream.once(
      'close',
      boundary.guard(stream, () => this.#end(undefined)),
    );
  }

  clientID(): string {
    return this.#clientID;
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  close(reason: Reason): void {
    if (this.#isClosed) return;
    const isSignedIn = this.#signedIn !== undefined;
    this.#end(reason);
    if (isSignedIn) this.#closeWith(this.#encoder.version === 5 ? this.#encoder.disconnect(reason) : undefined);
    else if (!this.#hasConnected || reason === 'unavailable') this.#closeWith(undefined);
    else this.#closeWith(this.#encoder.refusal(reason));
  }

  #end(reason: Reason | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#connectTimer);
    clearTimeout(this.#keepAlive);
    this.#reader.stop();
    this.#signedIn?.end();
    this.#needs.onEnd(reason, { clientID: this.#clientID, isSignedIn: this.#signedIn !== undefined });
  }

  #closeWith(lastPacket: Buffer | undefined): void {
    const stream = this.#stream;
    const isSendable = lastPacket && lastPacket.length <= this.#encoder.mostPacketBytes && stream.writable;
    if (!isSendable) return void stream.destroy();
    stream.end(lastPacket);
    setTimeout(() => stream.destroy(), lingerMs).unref();
  }

  /** A returned promise pauses reading until it resolves. */
  #send(bytes: Buffer): void | Promise<void> {
    if (this.#isClosed || !this.#stream.writable) return;
    if (bytes.length > this.#encoder.mostPacketBytes) return this.close('packet_size');
    this.#stream.write(bytes);
    // Reads no more from a client that does not read the answers.
    if (this.#stream.writableLength > mostUnsentBytes) return whenWritten(this.#stream);
  }

  #receive(bytes: Buffer): void | Promise<void> {
    const packet = this.#parse(bytes);
    if (!packet) return this.close('malformed');
    this.#charge(packet, bytes.length);
    if (!this.#hasConnected) return packet.cmd === 'connect' ? this.#connect(packet) : this.close('protocol');
    this.#keepAlive?.refresh();
    switch (packet.cmd) {
      case 'publish':
        return this.#messages.add(packet, bytes.length);
      case 'puback':
        return this.#signedIn?.acknowledged();
      case 'pubrel':
        return this.#messages.release(packet.messageId ?? 0);
      case 'pubrec':
      case 'pubcomp':
        // Answers to quality of service 2, which this server never sends with.
        return;
      case 'subscribe':
        return this.#subscribe(packet);
      case 'unsubscribe':
        return this.#unsubscribe(packet);
      case 'pingreq':
        return this.#send(pingResponse);
      case 'disconnect':
        // Messages that were published before are still processed.
        return this.#messages.processed.then(() => void this.#stream.destroy());
      default:
        return this.close('protocol');
    }
  }

  /** Charges bytes besides the payload; those of filters have been charged already. */
  #charge(packet: Packet, size: number): void {
    if (packet.cmd === 'subscribe' || packet.cmd === 'unsubscribe') return;
    const payload = packet.cmd === 'publish' ? packet.payload.length : 0;
    const beside = size - payload - usualBytes;
    if (beside > 0) this.#needs.charge(beside);
  }

  /** Parses a last will but never publishes it: the broker neither stores nor forwards messages of clients. */
  async #connect(packet: IConnectPacket): Promise<void> {
    this.#hasConnected = true;
    clearTimeout(this.#connectTimer);
    this.#encoder.version = packet.protocolVersion ?? 4;
    this.#clientID = packet.clientId || `hilltop-${randomUUID()}`;
    const { receiveMaximum, maximumPacketSize, authenticationMethod } = packet.properties ?? {};
    for (const limit of [receiveMaximum, maximumPacketSize])
      if (limit !== undefined && !(typeof limit === 'number' && limit > 0)) return this.close('protocol');
    this.#encoder.mostPacketBytes = maximumPacketSize ?? this.#encoder.mostPacketBytes;
    if (authenticationMethod !== undefined) return this.close('auth_method');
    const { version, mostPacketBytes } = this.#encoder;
    if (version === 5 && packet.will?.qos === 2) return this.close('qos');
    try {
      const receiver = { version, mostUnacknowledged: receiveMaximum ?? 0xffff, mostPacketBytes };
      const { username, password } = packet;
      const clientID = this.#clientID;
      const signedIn = await this.#needs.signIn({ clientID, username, password: password?.toString(), receiver });
      if (this.#isClosed) return signedIn.end();
      this.#signedIn = signedIn;
    } catch (error) {
      return this.close(this.#reasonOf(error));
    }
    this.#startKeepAlive(packet.keepalive ?? 0);
    return this.#send(this.#encoder.welcome(packet, { clientID: this.#clientID, mostBytes: this.#needs.mostBytes() }));
  }

  #reasonOf(error: unknown): Reason {
    if (error instanceof Refusal) return error.reason;
    this.#needs.onFailure(error);
    return 'unavailable';
  }

  #startKeepAlive(seconds: number): void {
    if (seconds === 0) return;
    const check = () => {
      // While reading is paused, packets of the client may wait in the socket.
      if (this.#reader.isPaused()) this.#keepAlive?.refresh();
      else this.close('keep_alive');
    };
    const waitMs = Math.min(seconds, longestKeepAlive) * 1_500;
    this.#keepAlive = setTimeout(this.#needs.boundary.guard(this.#stream, check), waitMs);
  }

  async #subscribe({ messageId = 0, subscriptions, properties }: ISubscribePacket): Promise<void> {
    if (messageId < 1 || subscriptions.length === 0) return this.close('malformed');
    if (properties?.subscriptionIdentifier !== undefined) return this.close('subscription_id');
    const granted: number[] = [];
    for (const { topic, qos } of subscriptions) {
      try {
        const answer = topic.startsWith('$share/') ? 'shared' : await this.#signedIn!.subscribe(topic, qos);
        if (typeof answer === 'string') this.#needs.onRefused('subscribe');
        granted.push(typeof answer === 'number' ? answer : this.#encoder.version === 5 ? reasons[answer].code : 0x80);
      } catch (error) {
        return this.close(this.#reasonOf(error));
      }
      if (this.#isClosed) return;
    }
    return this.#send(this.#encoder.encode({ cmd: 'suback', messageId, granted }));
  }

  #unsubscribe({ messageId = 0, unsubscriptions }: IUnsubscribePacket): void | Promise<void> {
    if (messageId < 1 || unsubscriptions.length === 0) return this.close('malformed');
    const granted = unsubscriptions.map((topic) => (this.#signedIn!.unsubscribe(topic) ? 0 : 0x11));
    return this.#send(this.#encoder.encode({ cmd: 'unsuback', messageId, granted }));
  }
}

function whenWritten(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
