import type { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import { createTokenBucket, type ErrorBoundary, mostGatewayMessagesPerSecond } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { networkOf } from '../connections/network-of.ts';
import { createQuota } from '../connections/quota.ts';
import type { SharedThrottle } from '../identity/shared-throttle.ts';
import type { Metrics } from '../metrics.ts';
import { type Connection, createConnection } from './connection.ts';
import { type Bridge, createGatewayConnection } from './gateway-connection.ts';
import type { PacketHeader } from './packets.ts';
import { type Protocol, type SignInRequest, startProtocol } from './protocol.ts';
import { type Reason, Refusal, reasons } from './reasons.ts';
import { createRefusalLog } from './refusal-log.ts';
import type { Access, Proof, TopicRights } from './rights.ts';
import type { Receiver, SignedIn } from './signed-in.ts';

/** How a client is connected. */
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
  /** Whether any of them has subscribed to the statistics of gateways of an organization. */
  wantGatewayStats: (organizationID: number) => boolean;
  stop: () => Promise<void>;
}

type ConnectionContext = Parameters<typeof createConnection>[0];

interface ClientsDependencies extends Omit<ConnectionContext, 'count' | 'onFailure'> {
  access: Access;
  bus: Bus;
  metrics: Metrics;
  log: Logger;
  /** Counts refused sign-ins for each network (IPv4 address or IPv6 `/64`). */
  refusedSignIns: SharedThrottle;
  boundary: ErrorBoundary;
  /** Receives messages of gateways; undefined when no gateways are served. */
  bridge: Bridge | undefined;
}

const mostClients = 10_000;
const mostPerOwner = 100;
const longestID = 256;
/** Limits per client: of messages, and of packets of all kinds. */
const limits = {
  stranger: { perSecond: 50, packetsPerSecond: 200, packetBytes: 16 << 10 },
  program: { perSecond: 50, packetsPerSecond: 200, packetBytes: 64 << 10 },
  gateway: { perSecond: 200, packetsPerSecond: mostGatewayMessagesPerSecond, packetBytes: 256 << 10 },
};
/** Filters and properties are parsed one by one: this many bytes of them cost as much as one packet. */
const bytesPerPacket = 32;
/** An API key that ends, ends the connection so much later. */
const recheckEveryMs = 10_000;
const sweepEveryMs = 1_000;

interface Client {
  entrance: Entrance;
  limits: (typeof limits)['program'];
  waitMs: () => number;
  packetPace: (cost: number) => number;
  protocol: Protocol;
  stream: Duplex;
  /** Set after sign-in. */
  connection?: SignedIn;
  /** Set after sign-in of a program. */
  program?: Connection;
  /** Owner and client identifier. A client of another owner with the same identifier does not replace this one. */
  name?: string;
  checkedAtMs: number;
}

export function startClients(needed: ClientsDependencies): Clients {
  const clients = new ConnectedClients(needed);
  return {
    take: (stream, entrance) => clients.take(stream, entrance),
    of: (applicationID) => clients.of(applicationID),
    disconnect: (applicationID, id) => clients.disconnect(applicationID, id),
    wantGatewayStats: (organizationID) => clients.wantGatewayStats(organizationID),
    count: () => clients.count(),
    stop: () => clients.stop(),
  };
}

class ConnectedClients {
  readonly #needs: ClientsDependencies;
  readonly #clients = new Set<Client>();
  readonly #byName = new Map<string, Client>();
  readonly #places = createQuota({ all: mostClients, each: mostPerOwner });
  readonly #logRefusal: ReturnType<typeof createRefusalLog>;
  readonly #sweep: NodeJS.Timeout;

  constructor(needed: ClientsDependencies) {
    this.#needs = needed;
    this.#logRefusal = createRefusalLog(needed.log, needed.monotonicMs);
    this.#sweep = setInterval(() => void this.#checkAll(), sweepEveryMs);
  }

  take(stream: Duplex, entrance: Entrance): void {
    const { metrics, monotonicMs, boundary, log } = this.#needs;
    const client: Client = {
      entrance,
      stream,
      limits: limits.stranger,
      waitMs: createTokenBucket(limits.program.perSecond, monotonicMs),
      packetPace: createTokenBucket(limits.program.packetsPerSecond, monotonicMs),
      checkedAtMs: monotonicMs(),
      protocol: startProtocol(stream, {
        mostBytes: () => client.limits.packetBytes,
        wait: (packet) => {
          const ms = client.packetPace(costOf(packet, client));
          if (ms > 0) metrics.count('mqtt_held_up');
          return ms;
        },
        charge: (bytes) => void client.packetPace(bytes / bytesPerPacket),
        pace: () => waitFor(client.waitMs()),
        signIn: (request) => this.#signIn(client, request),
        onRefused: (reason) => this.#countRefusal(reason),
        onFailure: (error) => log.warn({ err: error }, 'a request of an MQTT client failed'),
        onEnd: (reason, about) => this.#remove(client, reason, about),
        boundary,
      }),
    };
    this.#clients.add(client);
  }

  /** The programs of an application, the latest first. */
  of(applicationID: number): MQTTClient[] {
    return this.#programsOf(applicationID)
      .map(({ program }) => program.shown())
      .reverse();
  }

  disconnect(applicationID: number, id: string): boolean {
    const found = this.#programsOf(applicationID).find(({ program }) => program.id === id);
    found?.protocol.close('disconnected');
    return found !== undefined;
  }

  wantGatewayStats(organizationID: number): boolean {
    return this.#clients.values().some(({ program }) => program?.wantsGatewayStats(organizationID));
  }

  count(): number {
    return this.#places.total();
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    const all = [...this.#clients];
    for (const { protocol } of all) protocol.close('stopping');
    for (const { stream } of all)
      if (!stream.closed) await new Promise<void>((resolve) => void stream.once('close', () => resolve()));
  }

  /** Rejects with a Refusal. */
  async #signIn(client: Client, { receiver, ...credentials }: SignInRequest): Promise<SignedIn> {
    const proof = { certificate: client.entrance.certificate, ...credentials };
    const rights = await this.#rightsOf(client, proof);
    const owner = ownerOf(rights);
    const name = `${owner}/${credentials.clientID}`;
    this.#byName.get(name)?.protocol.close('taken_over');
    // A gateway that connects again has lost its earlier connection.
    if (rights.scope === 'gateway')
      for (const earlier of this.#connectionsOf(rights.gatewayID)) earlier.protocol.close('taken_over');
    if (client.protocol.isClosed()) throw new Refusal('unavailable');
    if (!this.#places.take(owner)) throw new Refusal('too_many');
    this.#byName.set(name, client);
    client.name = name;
    return this.#begin(client, { proof, rights, receiver });
  }

  /** Rejects with a Refusal. */
  async #rightsOf(client: Client, proof: Proof): Promise<TopicRights> {
    const { access, log, refusedSignIns, bridge } = this.#needs;
    const network = networkOf(client.entrance.address);
    if ((await refusedSignIns.take(network)) > 0) throw new Refusal('throttled');
    refusedSignIns.giveBack(network);
    if (Buffer.byteLength(proof.clientID) > longestID) throw new Refusal('client_id');
    const rights = await access.rightsOf(proof, client.entrance.address).catch((error: unknown) => {
      log.warn({ err: error }, 'an MQTT client could not be signed in');
      throw new Refusal('unavailable');
    });
    const problem = typeof rights === 'string' ? rights : rights.scope === 'gateway' && !bridge && 'not_authorized';
    if (problem) {
      void refusedSignIns.take(network);
      throw new Refusal(problem);
    }
    return rights as TopicRights;
  }

  #connectionsOf(gatewayID: string): Client[] {
    return [...this.#clients].filter(({ connection }) => {
      const rights = connection?.rights;
      return rights?.scope === 'gateway' && rights.gatewayID === gatewayID;
    });
  }

  #begin(client: Client, about: { proof: Proof; rights: TopicRights; receiver: Receiver }): SignedIn {
    const { monotonicMs, metrics, bridge, log } = this.#needs;
    const { proof, rights, receiver } = about;
    const { stream, entrance } = client;
    const count = (name: string, labels: Record<string, string>) => metrics.count(name, labels);
    client.limits = rights.scope === 'gateway' ? limits.gateway : limits.program;
    if (rights.scope === 'gateway') {
      client.waitMs = createTokenBucket(limits.gateway.perSecond, monotonicMs);
      client.packetPace = createTokenBucket(limits.gateway.packetsPerSecond, monotonicMs);
      client.connection = createGatewayConnection({ bridge: bridge!, count }, { proof, rights, receiver }, stream);
    } else {
      const { transport, address } = entrance;
      const about = { clientID: proof.clientID, transport, address, proof, rights, receiver };
      const onFailure = (error: unknown) => log.warn({ err: error }, 'events for an MQTT client could not be read');
      client.program = createConnection({ ...this.#needs, count, onFailure }, about, stream);
      client.connection = client.program;
    }
    client.checkedAtMs = monotonicMs();
    this.#recheckOnChange(client, rights.by);
    void this.#recheck(client);
    return client.connection;
  }

  #recheckOnChange(client: Client, id: string): void {
    const { bus, log, boundary } = this.#needs;
    const { stream } = client;
    const subscribed = bus.subscribe('access-changed', id, () => void this.#recheck(client));
    subscribed.catch((error: unknown) =>
      log.warn({ err: error }, 'changed rights of an MQTT client are noticed late: the bus could not be subscribed to'),
    );
    stream.once(
      'close',
      boundary.guard(stream, () => subscribed.then((stop) => stop()).catch(() => undefined)),
    );
  }

  /** Ends a connection that has lost its rights. While the rights cannot be read, the connection continues. */
  async #recheck(client: Client): Promise<void> {
    const { monotonicMs, access, log } = this.#needs;
    const { connection, protocol } = client;
    if (!connection || protocol.isClosed()) return;
    client.checkedAtMs = monotonicMs();
    try {
      const rights = await access.rightsOf(connection.proof, client.entrance.address);
      if (rights === 'key_expired') protocol.close('key_expired');
      else if (typeof rights === 'string' || ownerOf(rights) !== ownerOf(connection.rights))
        protocol.close('not_authorized');
    } catch (error) {
      log.warn({ err: error }, 'the right of an MQTT client could not be looked up');
    }
  }

  /** `reason`: why the server ended the connection; undefined when the client did. */
  #remove(client: Client, reason: Reason | undefined, { clientID }: { clientID: string }): void {
    const { name, connection, entrance } = client;
    this.#clients.delete(client);
    // An earlier client of this name was removed before this one got the name.
    if (name !== undefined) this.#byName.delete(name);
    if (connection) this.#places.giveBack(ownerOf(connection.rights));
    if (!reason) return;
    this.#countRefusal(reason);
    const detail = reasons[reason].text;
    if (!connection) this.#logRefusal({ address: entrance.address, clientID }, reason);
    else this.#needs.log.info({ clientID, reason, detail }, 'an MQTT client was disconnected');
  }

  #countRefusal(reason: string): void {
    this.#needs.metrics.count('mqtt_refused', { reason });
  }

  #programsOf(applicationID: number) {
    return [...this.#clients]
      .flatMap(({ program, protocol }) => (program ? [{ program, protocol }] : []))
      .filter(({ program: { rights } }) => rights.scope === 'application' && rights.id === applicationID);
  }

  async #checkAll(): Promise<void> {
    const { boundary } = this.#needs;
    for (const client of this.#clients)
      await this.#check(client).catch((error: unknown) => boundary.end(client.stream, 'handler', error));
  }

  async #check(client: Client): Promise<void> {
    const slow = await client.connection?.hangsBack().catch(() => undefined);
    if (slow) {
      this.#needs.log.info({ clientID: client.protocol.clientID(), detail: slow }, 'an MQTT client is too slow');
      client.protocol.close('slow');
    } else if (this.#needs.monotonicMs() - client.checkedAtMs > recheckEveryMs) await this.#recheck(client);
  }
}

/** What a packet costs. The acknowledgement of a message costs nothing. */
function costOf({ type, length }: PacketHeader, { program }: Client): number {
  if (type === 4 && program?.expectsAcknowledgement()) return 0;
  return type === 8 || type === 10 ? 1 + length / bytesPerPacket : 1;
}

/** The owner that limits are counted for: an application or gateway, however it signs in, else one key. */
function ownerOf(rights: TopicRights): string {
  if (rights.scope === 'gateway') return `gateway ${rights.gatewayID}`;
  const { scope, id, by } = rights;
  return scope === 'application' ? `application ${id}` : `${scope} ${id} ${by}`;
}

async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
