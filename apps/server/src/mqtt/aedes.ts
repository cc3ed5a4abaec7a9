import type { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import { Aedes, type AedesOptions, type AuthenticateError, type Client, type PublishPacket } from 'aedes';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { networkOf } from '../connections/network-of.ts';
import type { CommonThrottle } from '../http/common-throttle.ts';
import type { Metrics } from '../metrics.ts';
import { type Connection, createConnection } from './connection.ts';
import { type Bridge, createGatewayConnection } from './gateway-connection.ts';
import { createPace } from './pace.ts';
import { limitPackets, type PacketHeader } from './packets.ts';
import type { Access, Proof, Rights } from './rights.ts';
import type { Published, SignedIn } from './signed-in.ts';

/** Where a connection came in. */
export interface Entrance {
  transport: MQTTClient['transport'];
  address: string;
  certificate: X509Certificate | undefined;
}

/** The protocol, spoken by aedes: sign-in, rights and limits are ours, and so is what clients hear. */
export interface Clients {
  take: (stream: Duplex, entrance: Entrance) => void;
  of: (applicationID: number) => MQTTClient[];
  disconnect: (applicationID: number, id: string) => boolean;
  count: () => number;
  stop: () => Promise<void>;
}

type Surroundings = Parameters<typeof createConnection>[0];

interface Needed extends Omit<Surroundings, 'count' | 'onFailure'> {
  access: Access;
  bus: Bus;
  metrics: Metrics;
  log: Logger;
  /** Each with what was refused of it lately: networks from which nobody could sign in. */
  strangers: CommonThrottle;
  boundary: ErrorBoundary;
  /** Where gateways speak to; undefined where none are. */
  bridge: Bridge | undefined;
}

const mostClients = 10_000;
const mostPerOwner = 100;
const longestID = 256;
const longestKeepAlive = 1_200;
/** What each may send: messages, and packets of all kinds. */
const limits = {
  program: { perSecond: 50, packetsPerSecond: 200, packetBytes: 64 << 10 },
  gateway: { perSecond: 200, packetsPerSecond: 800, packetBytes: 256 << 10 },
};
/** Filters are looked at one by one: so many bytes of them count as another packet. */
const filterBytes = 32;
const recheckEveryMs = 30_000;
const sweepEveryMs = 1_000;
const unseen = 'Whether an MQTT client is too slow could not be found out.';
const unheardChanges = 'The end of the right of an MQTT client is noticed late.';
/** MQTT 5: "unsupported protocol version", in the words of that version. */
const notFive = Uint8Array.of(0x20, 3, 0, 0x84, 0);

/** There is no way from client to client: nothing is published here that others could hear. */
const silence = {
  on: (_topic: string, _listener: unknown, done?: () => void) => done?.(),
  removeListener: (_topic: string, _listener: unknown, done?: () => void) => done?.(),
  emit: (_packet: unknown, done?: () => void) => done?.(),
  close: (done?: () => void) => done?.(),
};

interface State {
  entrance: Entrance;
  limits: (typeof limits)['program'];
  pace: () => number;
  packetPace: (cost: number) => number;
  /** What it publishes is taken one after the other. */
  turn: Promise<unknown>;
  /** Once it has signed in. */
  connection?: SignedIn;
  /** The same, of a program. */
  program?: Connection;
  checkedAtMs: number;
}

/** The parts of aedes' client that its types keep back. */
type Inside = Client & {
  id: string;
  _parser: { prependListener: (event: 'packet', listener: (packet: Incoming) => void) => void };
};
type Incoming = { cmd: string; subscriptions?: { qos: number }[] };

export async function startClients(needed: Needed): Promise<Clients> {
  const { access, bus, metrics, log, monotonicMs, strangers, bridge, boundary } = needed;
  const states = new Map<Client, State>();
  const perOwner = new Map<string, number>();
  const count = (name: string, labels: Record<string, string>) => metrics.count(name, labels);
  const refuse = (reason: string) => count('mqtt_refused', { reason });
  const onFailure = (error: unknown) => log.warn({ err: error }, 'events for an MQTT client could not be read');

  async function signIn(client: Client, said: Pick<Proof, 'username' | 'password'>): Promise<void> {
    const state = states.get(client)!;
    const { address, certificate } = state.entrance;
    const network = networkOf(address);
    if ((await strangers.take(network)) > 0) throw refusal(3, 'throttled');
    strangers.giveBack(network);
    if (Buffer.byteLength(client.id) > longestID) throw refusal(2, 'client_id');
    const proof = { certificate, ...said };
    const rights = await access.rightsOf(proof).catch((error: unknown) => {
      log.warn({ err: error }, 'an MQTT client could not be signed in');
      // Clients such as mqtt.js do not try again by themselves once they were told in words.
      client.conn.destroy();
      throw refusal(3, 'unavailable');
    });
    if (!rights || (rights.scope === 'gateway' && !bridge)) {
      void strangers.take(network);
      throw refusal(5, 'credentials');
    }
    const owner = ownerOf(rights);
    const there = perOwner.get(owner) ?? 0;
    if (there >= mostPerOwner || connected() >= mostClients) throw refusal(3, 'too_many');
    if (client.closed) return;
    perOwner.set(owner, there + 1);
    client.conn.once('close', () => {
      const left = perOwner.get(owner)! - 1;
      if (left > 0) perOwner.set(owner, left);
      else perOwner.delete(owner);
    });
    if (rights.scope === 'gateway') endOthers(rights.gatewayID);
    begin(client, state, { proof, rights });
    // Whoever chooses the id of somebody else's client shall not push it out.
    (client as Inside).id = `${owner}/${client.id}`;
  }

  /** The newest connection of a gateway is the one it means. */
  function endOthers(gatewayID: string): void {
    for (const [other, { connection }] of states)
      if (connection?.rights.scope === 'gateway' && connection.rights.gatewayID === gatewayID)
        end(other, 'the gateway connected again');
  }

  function begin(client: Client, state: State, { proof, rights }: Pick<SignedIn, 'proof' | 'rights'>): void {
    const stream = client.conn as Duplex;
    if (rights.scope === 'gateway') {
      state.limits = limits.gateway;
      state.pace = createPace(limits.gateway.perSecond, monotonicMs);
      state.packetPace = createPace(limits.gateway.packetsPerSecond, monotonicMs);
      state.connection = createGatewayConnection({ bridge: bridge!, count }, { proof, rights }, stream);
    } else {
      const { transport, address } = state.entrance;
      const known = { clientID: client.id, transport, address, proof, rights };
      state.program = createConnection({ ...needed, count, onFailure }, known, stream);
      state.connection = state.program;
    }
    const { connection } = state;
    state.checkedAtMs = monotonicMs();
    const listening = bus.subscribe('access-changed', rights.by, () => void recheck(client, state));
    listening.catch((error: unknown) => log.warn({ err: error }, unheardChanges));
    const ended = boundary.guard(stream, () => {
      connection.end();
      return listening.then((stop) => stop()).catch(() => undefined);
    });
    client.conn.once('close', ended);
    void recheck(client, state);
  }

  /** A right that cannot be looked up goes on until it can. */
  async function recheck(client: Client, state: State): Promise<void> {
    const { connection } = state;
    if (!connection || client.closed) return;
    state.checkedAtMs = monotonicMs();
    try {
      const rights = await access.rightsOf(connection.proof);
      if (!rights || ownerOf(rights) !== ownerOf(connection.rights)) end(client, 'its right ended');
    } catch (error) {
      log.warn({ err: error }, 'the right of an MQTT client could not be looked up');
    }
  }

  function end(client: Client, reason: string): void {
    log.info({ clientID: client.id, reason }, 'an MQTT client was disconnected');
    refuse('ended');
    client.close();
  }

  const options: AedesOptions = {
    mq: silence,
    connectTimeout: 10_000,
    queueLimit: 100,
    maxInflightInbound: 20,
    maxClientsIdLength: longestID,
    maxTopicLevels: 20,
    preConnect: (client, packet, done) => {
      if ((packet.protocolVersion as number) === 5) {
        refuse('version');
        client.conn.end(notFive);
        setTimeout(() => client.conn.destroy(), 1_000).unref();
        return done(null, false);
      }
      // Nothing is kept for those who are away, and nothing is said after their death.
      packet.clean = true;
      delete packet.will;
      if (packet.keepalive) packet.keepalive = Math.min(packet.keepalive, longestKeepAlive);
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      const answer = signIn(client, { username: username?.toString(), password: password?.toString() }).then(
        () => done(null, true),
        (error: AuthenticateError) => {
          refuse(error.returnCode === undefined ? 'failed' : error.message);
          done(error, false);
        },
      );
      boundary.guard(client.conn, () => answer)();
    },
    authorizeSubscribe: (client, subscription, done) => {
      const granted = states.get(client)?.connection?.subscribe(subscription.topic, subscription.qos);
      const answer = Promise.resolve(granted).then(
        (qos) => {
          if (qos === undefined) refuse('subscribe');
          done(null, qos === undefined ? null : subscription);
        },
        (error: Error) => done(error),
      );
      boundary.guard(client.conn, () => answer)();
    },
    authorizePublish: (client, packet, done) => {
      const state = client && states.get(client);
      if (!client || !state) return done(new Error('not connected'));
      packet.retain = false;
      state.turn = state.turn
        .then(() => waitFor(state.pace()))
        .then(() => (client.closed ? undefined : state.connection?.publish(publishedOf(packet))))
        .then(
          () => done(null),
          (error: Error) => done(error),
        )
        .catch((error: unknown) => boundary.end(client.conn, 'handler', error));
    },
  };

  const aedes = new Aedes(options);
  await aedes.listen();
  const connectionOf = (client: Client) => states.get(client)?.connection;
  aedes.on('ack', (_packet, client) => connectionOf(client)?.acknowledged());
  aedes.on('unsubscribe', (topics, client) => {
    for (const topic of topics) connectionOf(client)?.unsubscribe(topic);
  });
  const note = (_client: Client, error: Error) => boundary.count('connection', error);
  aedes.on('clientError', note);
  aedes.on('connectionError', note);

  const connected = () => perOwner.values().reduce((sum, there) => sum + there, 0);
  const all = () => states.entries().flatMap(([client, { program }]) => (program ? [{ client, program }] : []));
  const ofApplication = (id: number) =>
    all().filter(({ program: { rights } }) => rights.scope === 'application' && rights.id === id);

  async function look(client: Client, state: State): Promise<void> {
    const slow = await state.connection?.hangsBack().catch(() => undefined);
    if (slow) end(client, slow);
    else if (monotonicMs() - state.checkedAtMs > recheckEveryMs) await recheck(client, state);
  }

  const sweep = setInterval(async () => {
    for (const [client, state] of states)
      await look(client, state).catch((error: unknown) => log.warn({ err: error }, unseen));
  }, sweepEveryMs);

  return {
    take: (stream, entrance) => {
      const state: State = {
        ...{ entrance, limits: limits.program, pace: createPace(limits.program.perSecond, monotonicMs) },
        ...{ packetPace: createPace(limits.program.packetsPerSecond, monotonicMs) },
        ...{ turn: Promise.resolve(), checkedAtMs: monotonicMs() },
      };
      limitPackets(stream, {
        most: () => state.limits.packetBytes,
        wait: (packet) => {
          const ms = state.packetPace(costOf(packet, state));
          if (ms > 0) metrics.count('mqtt_held_up');
          return ms;
        },
        onTooLarge: () => refuse('packet_size'),
        boundary,
      });
      const client = aedes.handle(stream);
      states.set(client, state);
      stream.once('close', () => states.delete(client));
      // aedes grants what was asked for; events have a quality of service of at most 1.
      (client as Inside)._parser.prependListener('packet', ({ cmd, subscriptions = [] }) => {
        if (cmd === 'subscribe') for (const one of subscriptions) one.qos = Math.min(one.qos, 1);
      });
    },
    of: (id) =>
      ofApplication(id)
        .map(({ program }) => program.shown())
        .toArray()
        .reverse(),
    disconnect: (applicationID, id) => {
      const found = ofApplication(applicationID).find(({ program }) => program.id === id);
      if (found) end(found.client, 'somebody disconnected it');
      return found !== undefined;
    },
    count: connected,
    stop: async () => {
      clearInterval(sweep);
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
      for (const client of states.keys()) client.conn.destroy();
    },
  };
}

/** What a packet counts. That something arrived may be said of each message. */
function costOf({ type, length }: PacketHeader, { program }: State): number {
  if (type === 4 && program?.isAwaitingOne()) return 0;
  return type === 8 || type === 10 ? 1 + length / filterBytes : 1;
}

/** Who is behind it: one application or gateway however it signs in, else one key. */
function ownerOf(rights: Rights): string {
  if (rights.scope === 'gateway') return `gateway ${rights.gatewayID}`;
  const { scope, id, by } = rights;
  return scope === 'application' ? `application ${id}` : `${scope} ${id} ${by}`;
}

function publishedOf({ topic, payload, qos, messageId, dup }: PublishPacket): Published {
  return { topic, payload: Buffer.from(payload as string), qos, messageID: messageId, isDuplicate: dup };
}

async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

function refusal(returnCode: number, reason: string): AuthenticateError {
  return Object.assign(new Error(reason), { returnCode });
}
