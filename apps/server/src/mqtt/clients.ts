import type { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { networkOf } from '../connections/network-of.ts';
import type { SharedThrottle } from '../identity/shared-throttle.ts';
import type { Metrics } from '../metrics.ts';
import { type Connection, createConnection } from './connection.ts';
import { type Bridge, createGatewayConnection } from './gateway-connection.ts';
import { createPace } from './pace.ts';
import type { PacketHeader } from './packets.ts';
import { type Protocol, type SignInRequest, startProtocol } from './protocol.ts';
import { type Reason, Refusal, reasons } from './reasons.ts';
import { createRefusalLog } from './refusal-log.ts';
import type { Access, Proof, TopicRights } from './rights.ts';
import type { Receiver, SignedIn } from './signed-in.ts';

/** Where a connection came in. */
export interface Entrance {
  transport: MQTTClient['transport'];
  address: string;
  certificate: X509Certificate | undefined;
}

/** All connected clients: sign-in, rights and limits. */
export interface Clients {
  take: (stream: Duplex, entrance: Entrance) => void;
  of: (applicationID: number) => MQTTClient[];
  disconnect: (applicationID: number, id: string) => boolean;
  count: () => number;
  stop: () => Promise<void>;
}

type ConnectionContext = Parameters<typeof createConnection>[0];

interface ClientsDependencies extends Omit<ConnectionContext, 'count' | 'onFailure'> {
  access: Access;
  bus: Bus;
  metrics: Metrics;
  log: Logger;
  /** Each with what was refused of it lately: networks from which nobody could sign in. */
  strangers: SharedThrottle;
  boundary: ErrorBoundary;
  /** Where gateways speak to; undefined where none are. */
  bridge: Bridge | undefined;
}

const mostClients = 10_000;
const mostPerOwner = 100;
const longestID = 256;
/** What each may send: messages, and packets of all kinds. */
const limits = {
  stranger: { perSecond: 50, packetsPerSecond: 200, packetBytes: 16 << 10 },
  program: { perSecond: 50, packetsPerSecond: 200, packetBytes: 64 << 10 },
  gateway: { perSecond: 200, packetsPerSecond: 800, packetBytes: 256 << 10 },
};
/** Filters and properties are looked at one by one: so many bytes of them count as another packet. */
const bytesPerPacket = 32;
const recheckEveryMs = 30_000;
const sweepEveryMs = 1_000;

interface Client {
  entrance: Entrance;
  limits: (typeof limits)['program'];
  pace: () => number;
  packetPace: (cost: number) => number;
  protocol: Protocol;
  stream: Duplex;
  /** Once it has signed in. */
  connection?: SignedIn;
  /** The same, of a program. */
  program?: Connection;
  /** Its owner and identifier: a client of another owner with the same identifier does not take it over. */
  name?: string;
  checkedAtMs: number;
}

export function startClients(needed: ClientsDependencies): Clients {
  const { access, bus, metrics, log, monotonicMs, strangers, bridge, boundary } = needed;
  const clients = new Set<Client>();
  const byName = new Map<string, Client>();
  const perOwner = new Map<string, number>();
  const logRefusal = createRefusalLog(log, monotonicMs);
  const count = (name: string, labels: Record<string, string>) => metrics.count(name, labels);
  const refuse = (reason: string) => count('mqtt_refused', { reason });
  const onFailure = (error: unknown) => log.warn({ err: error }, 'events for an MQTT client could not be read');
  const connected = () => perOwner.values().reduce((sum, there) => sum + there, 0);

  /** Rejects with a Refusal. */
  async function rightsOf(client: Client, proof: Proof): Promise<TopicRights> {
    const network = networkOf(client.entrance.address);
    if ((await strangers.take(network)) > 0) throw new Refusal('throttled');
    strangers.giveBack(network);
    if (Buffer.byteLength(proof.clientID) > longestID) throw new Refusal('client_id');
    const rights = await access.rightsOf(proof).catch((error: unknown) => {
      log.warn({ err: error }, 'an MQTT client could not be signed in');
      throw new Refusal('unavailable');
    });
    const problem = typeof rights === 'string' ? rights : rights.scope === 'gateway' && !bridge && 'not_authorized';
    if (problem) {
      void strangers.take(network);
      throw new Refusal(problem);
    }
    return rights as TopicRights;
  }

  async function signIn(client: Client, { receiver, ...said }: SignInRequest): Promise<SignedIn> {
    const proof = { certificate: client.entrance.certificate, ...said };
    const rights = await rightsOf(client, proof);
    const owner = ownerOf(rights);
    const name = `${owner}/${said.clientID}`;
    byName.get(name)?.protocol.close('taken_over');
    // The newest connection of a gateway is the one it means.
    if (rights.scope === 'gateway')
      for (const other of connectionsOf(rights.gatewayID)) other.protocol.close('taken_over');
    const there = perOwner.get(owner) ?? 0;
    if (there >= mostPerOwner || connected() >= mostClients) throw new Refusal('too_many');
    if (client.protocol.isClosed()) throw new Refusal('unavailable');
    perOwner.set(owner, there + 1);
    byName.set(name, client);
    client.name = name;
    return begin(client, { proof, rights, receiver });
  }

  const connectionsOf = (gatewayID: string) =>
    [...clients].filter(({ connection }) => {
      const rights = connection?.rights;
      return rights?.scope === 'gateway' && rights.gatewayID === gatewayID;
    });

  function begin(client: Client, about: { proof: Proof; rights: TopicRights; receiver: Receiver }): SignedIn {
    const { proof, rights, receiver } = about;
    const { stream, entrance } = client;
    client.limits = rights.scope === 'gateway' ? limits.gateway : limits.program;
    if (rights.scope === 'gateway') {
      client.pace = createPace(limits.gateway.perSecond, monotonicMs);
      client.packetPace = createPace(limits.gateway.packetsPerSecond, monotonicMs);
      client.connection = createGatewayConnection({ bridge: bridge!, count }, { proof, rights, receiver }, stream);
    } else {
      const { transport, address } = entrance;
      const known = { clientID: proof.clientID, transport, address, proof, rights, receiver };
      client.program = createConnection({ ...needed, count, onFailure }, known, stream);
      client.connection = client.program;
    }
    client.checkedAtMs = monotonicMs();
    const listening = bus.subscribe('access-changed', rights.by, () => void recheck(client));
    listening.catch((error: unknown) =>
      log.warn({ err: error }, 'changed rights of an MQTT client are noticed late: the bus could not be subscribed to'),
    );
    stream.once(
      'close',
      boundary.guard(stream, () => listening.then((stop) => stop()).catch(() => undefined)),
    );
    void recheck(client);
    return client.connection;
  }

  /** A right that cannot be looked up goes on until it can. */
  async function recheck(client: Client): Promise<void> {
    const { connection, protocol } = client;
    if (!connection || protocol.isClosed()) return;
    client.checkedAtMs = monotonicMs();
    try {
      const rights = await access.rightsOf(connection.proof);
      if (typeof rights === 'string' || ownerOf(rights) !== ownerOf(connection.rights))
        protocol.close('not_authorized');
    } catch (error) {
      log.warn({ err: error }, 'the right of an MQTT client could not be looked up');
    }
  }

  /** `reason`: why this side ended it. */
  function forget(client: Client, reason: Reason | undefined, { clientID }: { clientID: string }): void {
    const { name, connection, entrance } = client;
    clients.delete(client);
    if (name !== undefined && byName.get(name) === client) byName.delete(name);
    if (connection) {
      const owner = ownerOf(connection.rights);
      const left = perOwner.get(owner)! - 1;
      if (left > 0) perOwner.set(owner, left);
      else perOwner.delete(owner);
    }
    if (!reason) return;
    refuse(reason);
    if (!connection) logRefusal({ address: entrance.address, clientID }, reason);
    else log.info({ clientID, reason, detail: reasons[reason].text }, 'an MQTT client was disconnected');
  }

  const programs = () => [...clients].flatMap(({ program, protocol }) => (program ? [{ program, protocol }] : []));
  const ofApplication = (id: number) =>
    programs().filter(({ program: { rights } }) => rights.scope === 'application' && rights.id === id);

  async function check(client: Client): Promise<void> {
    const slow = await client.connection?.hangsBack().catch(() => undefined);
    if (slow) {
      log.info({ clientID: client.protocol.clientID(), detail: slow }, 'an MQTT client is too slow');
      client.protocol.close('slow');
    } else if (monotonicMs() - client.checkedAtMs > recheckEveryMs) await recheck(client);
  }

  const sweep = setInterval(async () => {
    for (const client of clients)
      await check(client).catch((error: unknown) => boundary.end(client.stream, 'handler', error));
  }, sweepEveryMs);

  return {
    take: (stream, entrance) => {
      const client: Client = {
        entrance,
        stream,
        limits: limits.stranger,
        pace: createPace(limits.program.perSecond, monotonicMs),
        packetPace: createPace(limits.program.packetsPerSecond, monotonicMs),
        checkedAtMs: monotonicMs(),
        protocol: startProtocol(stream, {
          mostBytes: () => client.limits.packetBytes,
          wait: (packet) => {
            const ms = client.packetPace(costOf(packet, client));
            if (ms > 0) metrics.count('mqtt_held_up');
            return ms;
          },
          charge: (bytes) => void client.packetPace(bytes / bytesPerPacket),
          pace: () => waitFor(client.pace()),
          signIn: (request) => signIn(client, request),
          onRefused: refuse,
          onFailure: (error) => log.warn({ err: error }, 'a request of an MQTT client failed'),
          onEnd: (reason, about) => forget(client, reason, about),
          boundary,
        }),
      };
      clients.add(client);
    },
    of: (id) =>
      ofApplication(id)
        .map(({ program }) => program.shown())
        .reverse(),
    disconnect: (applicationID, id) => {
      const found = ofApplication(applicationID).find(({ program }) => program.id === id);
      found?.protocol.close('disconnected');
      return found !== undefined;
    },
    count: connected,
    stop: async () => {
      clearInterval(sweep);
      const all = [...clients];
      for (const { protocol } of all) protocol.close('stopping');
      for (const { stream } of all)
        if (!stream.closed) await new Promise<void>((resolve) => void stream.once('close', () => resolve()));
    },
  };
}

/** What a packet counts. That something arrived may be said of each message. */
function costOf({ type, length }: PacketHeader, { program }: Client): number {
  if (type === 4 && program?.isAwaitingOne()) return 0;
  return type === 8 || type === 10 ? 1 + length / bytesPerPacket : 1;
}

/** Who is behind it: one application or gateway however it signs in, else one key. */
function ownerOf(rights: TopicRights): string {
  if (rights.scope === 'gateway') return `gateway ${rights.gatewayID}`;
  const { scope, id, by } = rights;
  return scope === 'application' ? `application ${id}` : `${scope} ${id} ${by}`;
}

async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
