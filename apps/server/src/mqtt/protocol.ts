import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ErrorBoundary } from '@hilltop/network-server';
import {
  generate,
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type IUnsubscribePacket,
  type Packet,
  parser,
} from 'mqtt-packet';
import { type PacketHeader, readPackets } from './packets.ts';
import { type Reason, Refusal, reasons } from './reasons.ts';
import { mostUnacknowledgedFromClient, type Receiver, type SignedIn } from './signed-in.ts';

/** What a client says to sign in. */
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
  /** How long to wait after a packet has begun, in milliseconds. */
  wait: (packet: PacketHeader) => number;
  /** Counts bytes that cost more to read than a packet usually does; those of filters have been waited for. */
  charge: (bytes: number) => void;
  /** Resolves when the next message may be taken. */
  pace: () => Promise<void>;
  /** Rejects with a Refusal for a client that may not connect. */
  signIn: (request: SignInRequest) => Promise<SignedIn>;
  /** Something was refused and the connection goes on. */
  onRefused: (what: 'subscribe') => void;
  /** A request failed for another reason than a Refusal; the connection ends with `unavailable`. */
  onFailure: (error: unknown) => void;
  /** Called once: why this side ended the connection; undefined when the client did. */
  onEnd: (reason: Reason | undefined, client: { clientID: string; isSignedIn: boolean }) => void;
  boundary: ErrorBoundary;
}

const connectWithinMs = 10_000;
const longestKeepAlive = 1_200;
const mostLevels = 20;
/** Messages that were read and wait for those before them, in bytes. */
const mostWaitingBytes = 256 << 10;
/** Answers that a client does not read: more than events alone may fill. */
const mostUnsentBytes = 1 << 20;
/** After this a client that does not take its last answer is cut off. */
const lingerMs = 1_000;
/** Of a packet beside its payload; what is more is charged. */
const usualBytes = 512;

const pubAck = 0x40;
const pubRec = 0x50;
const pubComp = 0x70;
const pingResponse = Buffer.of(0xd0, 0);

export function startProtocol(stream: Duplex, needed: ProtocolDependencies): Protocol {
  let version: Receiver['version'] = 4;
  let mostPacketBytes = Number.POSITIVE_INFINITY;
  let clientID = '';
  let signedIn: SignedIn | undefined;
  let hasConnected = false;
  let isClosed = false;
  let keepAlive: NodeJS.Timeout | undefined;
  /** Messages are taken one after the other. */
  let turn = Promise.resolve();
  let waiting = 0;
  let waitingBytes = 0;
  let unacknowledged = 0;
  /** Of quality of service 2, until the client has released them. */
  const unreleased = new Set<number>();

  const { boundary } = needed;
  const connectTimer = setTimeout(
    boundary.guard(stream, () => close('connect_timeout')),
    connectWithinMs,
  );
  const parse = createParser();
  const reader = readPackets(stream, {
    most: needed.mostBytes,
    wait: needed.wait,
    take,
    onTooLarge: () => close('packet_size'),
    onMalformed: () => close('malformed'),
    boundary,
  });
  stream.on('error', () => stream.destroy());
  stream.once('end', () => stream.destroy());
  stream.once(
    'close',
    boundary.guard(stream, () => end(undefined)),
  );

  function end(reason: Reason | undefined): void {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(connectTimer);
    clearTimeout(keepAlive);
    reader.stop();
    signedIn?.end();
    needed.onEnd(reason, { clientID, isSignedIn: signedIn !== undefined });
  }

  function close(reason: Reason): void {
    if (isClosed) return;
    const wasConnected = signedIn !== undefined;
    end(reason);
    if (wasConnected) closeWith(version === 5 ? disconnectOf(reason) : undefined);
    else if (!hasConnected || reason === 'unavailable') closeWith(undefined);
    else closeWith(refusalOf(reason));
  }

  function closeWith(lastWords: Buffer | undefined): void {
    if (!lastWords || lastWords.length > mostPacketBytes || !stream.writable) return void stream.destroy();
    stream.end(lastWords);
    setTimeout(() => stream.destroy(), lingerMs).unref();
  }

  function write(packet: Packet): Buffer {
    // The reason in words is left out where the client takes no packet that large.
    const properties = Number.isFinite(mostPacketBytes) ? { maximumPacketSize: mostPacketBytes } : {};
    return generate(packet, { protocolVersion: version, properties } as never);
  }

  const disconnectOf = (reason: Reason) => {
    const { code, text } = reasons[reason];
    return write({ cmd: 'disconnect', reasonCode: code, properties: { reasonString: text } });
  };

  function refusalOf(reason: Reason): Buffer | undefined {
    const { code, text, ...known } = reasons[reason];
    if (version === 5)
      return write({ cmd: 'connack', sessionPresent: false, reasonCode: code, properties: { reasonString: text } });
    const returnCode = 'returnCode' in known ? known.returnCode : undefined;
    return returnCode && write({ cmd: 'connack', sessionPresent: false, returnCode });
  }

  function send(bytes: Buffer): void | Promise<void> {
    if (isClosed || !stream.writable) return;
    if (bytes.length > mostPacketBytes) return close('packet_size');
    stream.write(bytes);
    // Who does not read answers is read no further.
    if (stream.writableLength > mostUnsentBytes) return whenWritten(stream);
  }

  function take(bytes: Buffer): void | Promise<void> {
    const packet = parse(bytes);
    if (!packet) return close('malformed');
    const payload = packet.cmd === 'publish' ? packet.payload.length : 0;
    const beside = bytes.length - payload - usualBytes;
    if (beside > 0 && packet.cmd !== 'subscribe' && packet.cmd !== 'unsubscribe') needed.charge(beside);
    if (!hasConnected) return packet.cmd === 'connect' ? connect(packet) : close('protocol');
    keepAlive?.refresh();
    switch (packet.cmd) {
      case 'publish':
        return takePublish(packet, bytes.length);
      case 'puback':
        return signedIn?.acknowledged();
      case 'pubrel':
        return release(packet.messageId ?? 0);
      case 'pubrec':
      case 'pubcomp':
        // Nothing was sent that they answer.
        return;
      case 'subscribe':
        return subscribe(packet);
      case 'unsubscribe':
        return unsubscribe(packet);
      case 'pingreq':
        return send(pingResponse);
      case 'disconnect':
        // What was sent before is taken.
        return turn.then(() => void stream.destroy());
      default:
        return close('protocol');
    }
  }

  async function connect(packet: IConnectPacket): Promise<void> {
    hasConnected = true;
    clearTimeout(connectTimer);
    version = packet.protocolVersion ?? 4;
    clientID = packet.clientId || `hilltop-${randomUUID()}`;
    const { receiveMaximum, maximumPacketSize, authenticationMethod } = packet.properties ?? {};
    for (const limit of [receiveMaximum, maximumPacketSize])
      if (limit !== undefined && !(typeof limit === 'number' && limit > 0)) return close('protocol');
    mostPacketBytes = maximumPacketSize ?? mostPacketBytes;
    if (authenticationMethod !== undefined) return close('auth_method');
    if (version === 5 && packet.will?.qos === 2) return close('qos');
    try {
      const receiver = { version, mostUnacknowledged: receiveMaximum ?? 0xffff, mostPacketBytes };
      const { username, password } = packet;
      const found = await needed.signIn({ clientID, username, password: password?.toString(), receiver });
      if (isClosed) return found.end();
      signedIn = found;
    } catch (error) {
      return close(reasonOf(error));
    }
    startKeepAlive(packet.keepalive ?? 0);
    return send(welcome(packet));
  }

  function reasonOf(error: unknown): Reason {
    if (error instanceof Refusal) return error.reason;
    needed.onFailure(error);
    return 'unavailable';
  }

  function startKeepAlive(seconds: number): void {
    if (seconds === 0) return;
    const check = () => {
      // A client that is held up here has sent something.
      if (reader.isPaused()) keepAlive?.refresh();
      else close('keep_alive');
    };
    keepAlive = setTimeout(boundary.guard(stream, check), Math.min(seconds, longestKeepAlive) * 1_500);
  }

  /** Nothing is stored for a client that is away, and nothing retained, whatever it asks for. */
  function welcome({ clientId, keepalive = 0 }: IConnectPacket): Buffer {
    if (version !== 5) return write({ cmd: 'connack', sessionPresent: false, returnCode: 0 });
    const properties = {
      sessionExpiryInterval: 0,
      receiveMaximum: mostUnacknowledgedFromClient,
      maximumQoS: 1,
      retainAvailable: false,
      maximumPacketSize: needed.mostBytes(),
      ...(clientId === '' && { assignedClientIdentifier: clientID }),
      ...(keepalive > longestKeepAlive && { serverKeepAlive: longestKeepAlive }),
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
    };
    return write({ cmd: 'connack', sessionPresent: false, reasonCode: 0, properties });
  }

  function takePublish(packet: IPublishPacket, size: number): void | Promise<void> {
    const { qos, messageId = 0 } = packet;
    const problem = publishProblem(packet);
    if (problem) return close(problem);
    const isRepeated = qos === 2 && unreleased.has(messageId);
    if (qos > 0 && !isRepeated) {
      if (unacknowledged + unreleased.size >= mostUnacknowledgedFromClient && (version === 5 || qos === 2))
        return close('receive_maximum');
      if (qos === 2) unreleased.add(messageId);
      else unacknowledged += 1;
    }
    waiting += 1;
    waitingBytes += size;
    turn = turn
      .then(() => publish(packet, isRepeated))
      .catch((error: unknown) => boundary.end(stream, 'handler', error))
      .finally(() => {
        waiting -= 1;
        waitingBytes -= size;
        if (qos === 1) unacknowledged -= 1;
      });
    // One more message than the receive maximum is read, so that a client that exceeds it is noticed.
    if (waiting > mostUnacknowledgedFromClient || waitingBytes > mostWaitingBytes) return turn;
  }

  function publishProblem({ topic, qos, messageId = 0, properties }: IPublishPacket): Reason | undefined {
    if (properties?.topicAlias !== undefined) return 'topic_alias';
    if (topic === '' || /[#+\0]/.test(topic) || topic.split('/').length > mostLevels) return 'topic';
    if (qos > 0 && messageId < 1) return 'malformed';
    return version === 5 && qos === 2 ? 'qos' : undefined;
  }

  /** Never rejects. What is acknowledged is on disk. */
  async function publish({ topic, payload, qos, messageId = 0, dup }: IPublishPacket, isRepeated: boolean) {
    const answer = (type: number, reason?: Reason) => void send(answerOf(type, messageId, reason));
    if (isClosed) return;
    if (isRepeated) return answer(pubRec);
    let refusal: Reason | undefined;
    try {
      await needed.pace();
      if (isClosed) return;
      const messageID = qos > 0 ? messageId : undefined;
      refusal = await signedIn!.publish({
        topic,
        payload: payload as Buffer,
        qos,
        messageID,
        isDuplicate: dup ?? false,
      });
    } catch (error) {
      const reason = reasonOf(error);
      // Only version 5 has an answer for what is refused once and for all.
      if (version === 5 && qos === 1 && reason !== 'unavailable') return answer(pubAck, reason);
      return close(reason);
    }
    if (qos === 1) answer(pubAck, version === 5 ? refusal : undefined);
    if (qos === 2) answer(pubRec);
  }

  function release(messageID: number): void | Promise<void> {
    unreleased.delete(messageID);
    return send(answerOf(pubComp, messageID));
  }

  async function subscribe({ messageId = 0, subscriptions, properties }: ISubscribePacket): Promise<void> {
    if (messageId < 1 || subscriptions.length === 0) return close('malformed');
    if (properties?.subscriptionIdentifier !== undefined) return close('subscription_id');
    const granted: number[] = [];
    for (const { topic, qos } of subscriptions) {
      try {
        const answer = topic.startsWith('$share/') ? 'shared' : await signedIn!.subscribe(topic, qos);
        if (typeof answer === 'string') needed.onRefused('subscribe');
        granted.push(typeof answer === 'number' ? answer : version === 5 ? reasons[answer].code : 0x80);
      } catch (error) {
        return close(reasonOf(error));
      }
      if (isClosed) return;
    }
    return send(write({ cmd: 'suback', messageId, granted }));
  }

  function unsubscribe({ messageId = 0, unsubscriptions }: IUnsubscribePacket): void | Promise<void> {
    if (messageId < 1 || unsubscriptions.length === 0) return close('malformed');
    const granted = unsubscriptions.map((topic) => (signedIn!.unsubscribe(topic) ? 0 : 0x11));
    return send(write({ cmd: 'unsuback', messageId, granted }));
  }

  return { clientID: () => clientID, isClosed: () => isClosed, close };
}

/** PUBACK, PUBREC and PUBCOMP; without a reason they are the same in all versions. */
function answerOf(type: number, messageID: number, reason?: Reason): Buffer {
  const identifier = [messageID >> 8, messageID & 0xff];
  return reason ? Buffer.of(type, 3, ...identifier, reasons[reason].code) : Buffer.of(type, 2, ...identifier);
}

/** Reads one whole packet; undefined when it is malformed. */
function createParser(): (bytes: Buffer) => Packet | undefined {
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
    return isMalformed || hasTornProperty(found) ? undefined : found;
  };
}

/** The parser answers -1, null or undefined for a property that ends too early. */
function hasTornProperty(packet: Packet | undefined): boolean {
  const properties = packet && 'properties' in packet ? packet.properties : undefined;
  if (!properties) return false;
  const { userProperties = {}, ...others } = properties as { userProperties?: Record<string, unknown> };
  const isTorn = (value: unknown) => value === -1 || value === null || value === undefined;
  return [...Object.values(userProperties), ...Object.values(others)].flat().some(isTorn);
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
