import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import type { EventLog, LoggedEvent } from '../event-log/event-log.ts';
import type { TopicTemplate } from '../integrations/topic-template.ts';
import { type AcceptCommand, readCommandTopic } from './commands.ts';
import { type Feed, startFeed } from './feed.ts';
import { isFilter, lets } from './filters.ts';
import { matchesGatewayEvents } from './gateway-topics.ts';
import type { EventMessage } from './messages.ts';
import { type PublishPacket, partsOf, sizeOf } from './publish-packet.ts';
import { type Reason, Refusal } from './reasons.ts';
import type { Access, ProgramRights, Proof } from './rights.ts';
import { mostSubscriptions, type Published, type Receiver, type SignedIn } from './signed-in.ts';
import { createSocketWriter, type SocketWriter } from './socket-writer.ts';

/** A program that has signed in: it subscribes to events and publishes commands. */
export interface Connection extends SignedIn {
  readonly id: string;
  readonly rights: ProgramRights;
  shown: () => MQTTClient;
  wantsGatewayStats: (organizationID: number) => boolean;
  /** Whether an acknowledgement is expected; counts it as arrived. */
  expectsAcknowledgement: () => boolean;
}

interface ConnectionDependencies {
  eventLog: EventLog;
  access: Access;
  messageOf: (event: LoggedEvent) => EventMessage;
  monotonicMs: () => number;
  now: () => Date;
  commandTopic: TopicTemplate;
  acceptCommand: AcceptCommand;
  count: (name: string, labels: Record<string, string>) => void;
  onFailure: (error: unknown) => void;
}

const mostUnacknowledged = 1000;
const lastMessageID = 0xffff;
const patienceMs = 30_000;
/** After a restart, a program may use the same packet identifier for another message. */
const resentWithinMs = 60_000;
const mostBehind = 100_000;
const mostBehindMs = 10 * 60_000;

interface ConnectedProgram {
  clientID: string;
  transport: MQTTClient['transport'];
  address: string;
  proof: Proof;
  rights: ProgramRights;
  receiver: Receiver;
}

export function createConnection(needed: ConnectionDependencies, client: ConnectedProgram, stream: Duplex): Connection {
  return new ProgramConnection(needed, client, stream);
}

let lastID = 0;

class ProgramConnection implements Connection {
  readonly id = String(++lastID);
  readonly proof: Proof;
  readonly rights: ProgramRights;
  readonly #needs: ConnectionDependencies;
  readonly #client: ConnectedProgram;
  readonly #sender: EventSender;
  readonly #filters: Filters = new Map();
  readonly #connectedAt: string;
  #commands = 0;
  #isOver = false;
  #feed: Promise<Feed> | undefined;

  constructor(needed: ConnectionDependencies, client: ConnectedProgram, stream: Duplex) {
    this.#needs = needed;
    this.#client = client;
    this.proof = client.proof;
    this.rights = client.rights;
    this.#connectedAt = needed.now().toISOString();
    this.#sender = new EventSender(needed, client, stream, this.#filters);
  }

  async subscribe(filter: string, wanted: number): Promise<0 | 1 | Reason> {
    const { access, eventLog, onFailure } = this.#needs;
    const { rights } = this;
    const qos = wanted > 0 ? 1 : 0;
    if (!isFilter(filter)) return 'filter';
    if (!(await access.mayHear(rights, filter))) return 'not_authorized';
    if (!this.#filters.has(filter) && this.#filters.size >= mostSubscriptions) return 'too_many';
    this.#filters.set(filter, { levels: filter.split('/'), qos });
    const applicationID = rights.scope === 'application' ? rights.id : undefined;
    const reader = { applicationID, take: (event: LoggedEvent) => this.#sender.take(event) };
    this.#feed ??= startFeed(eventLog, reader, onFailure);
    await this.#feed.catch((error: unknown) => {
      this.#feed = undefined;
      this.#filters.delete(filter);
      throw error;
    });
    if (this.#isOver) (await this.#feed).stop();
    return qos;
  }

  unsubscribe(filter: string): boolean {
    const existed = this.#filters.delete(filter);
    if (this.#filters.size > 0) return existed;
    const idle = this.#feed;
    this.#feed = undefined;
    idle?.then((feed) => feed.stop()).catch(this.#needs.onFailure);
    return existed;
  }

  expectsAcknowledgement(): boolean {
    return this.#sender.expectsAcknowledgement();
  }

  acknowledged(): void {
    this.#sender.acknowledged();
  }

  async publish({ topic, payload, messageID, isDuplicate }: Published): Promise<Reason | undefined> {
    const { access, count, commandTopic, acceptCommand } = this.#needs;
    const { rights } = this;
    const target = readCommandTopic(commandTopic, topic);
    if (!target || !rights.maySend || !(await access.covers(rights, target.applicationID))) {
      count('mqtt_refused', { reason: 'publish' });
      throw new Refusal('not_authorized');
    }
    count('mqtt_messages', { direction: 'in' });
    const sender = `${rights.by}/${this.#client.clientID}`;
    const reason = await acceptCommand({
      ...target,
      payload,
      resendable: messageID === undefined ? undefined : { sender, messageID, isDuplicate, forMs: resentWithinMs },
    });
    this.#commands += 1;
    return reason;
  }

  async hangsBack(): Promise<string | undefined> {
    if (this.#sender.isUnread()) return 'it did not read for 30 s';
    if (!this.#sender.isHeldUp()) return undefined;
    const { events, oldestAt } = (await (await this.#feed)?.behind()) ?? { events: 0, oldestAt: undefined };
    if (events > mostBehind) return `${events} events wait for it`;
    const waitsMs = oldestAt === undefined ? 0 : this.#needs.now().getTime() - oldestAt.getTime();
    return waitsMs > mostBehindMs ? 'events wait for it for 10 min' : undefined;
  }

  shown(): MQTTClient {
    const { clientID, transport, address, rights } = this.#client;
    return {
      id: this.id,
      clientID,
      transport,
      address,
      connectedAt: this.#connectedAt,
      signedInBy: rights.by,
      subscriptions: [...this.#filters.keys()],
      delivered: this.#sender.delivered,
      dropped: this.#sender.dropped,
      commands: this.#commands,
    };
  }

  wantsGatewayStats(organizationID: number): boolean {
    const { scope, id } = this.rights;
    if (scope === 'application' || (scope === 'organization' && id !== organizationID)) return false;
    return this.#filters.values().some(({ levels }) => matchesGatewayEvents(levels, organizationID, ['stats']));
  }

  end(): void {
    this.#isOver = true;
    this.#sender.end();
    void this.#feed?.then(
      (feed) => feed.stop(),
      () => undefined,
    );
  }
}

type Filters = Map<string, { levels: string[]; qos: 0 | 1 }>;

/** Sends the events that the filters of a program match, within the limits of its connection. */
class EventSender {
  delivered = 0;
  dropped = 0;
  readonly #needs: ConnectionDependencies;
  readonly #rights: ProgramRights;
  readonly #receiver: Receiver;
  readonly #filters: Filters;
  readonly #socket: SocketWriter;
  readonly #mostUnacknowledged: number;
  #unacknowledged = 0;
  /** Expected acknowledgements, including those of messages that no longer count as unacknowledged. */
  #expected = 0;
  #fullSinceMs: number | undefined;
  #lastMessageID = 0;
  #isOver = false;
  #continue = () => {};

  constructor(needed: ConnectionDependencies, client: ConnectedProgram, stream: Duplex, filters: Filters) {
    this.#needs = needed;
    this.#rights = client.rights;
    this.#receiver = client.receiver;
    this.#filters = filters;
    this.#mostUnacknowledged = Math.min(mostUnacknowledged, client.receiver.mostUnacknowledged);
    this.#socket = createSocketWriter(stream);
    stream.on('drain', () => this.#continue());
  }

  /** Returns a promise only when it has to wait, because there are many events with many subscribers each. */
  take(event: LoggedEvent): void | Promise<void> {
    const message = this.#needs.messageOf(event);
    const qos = this.#qosOf(message.levels);
    if (qos === undefined) return;
    const isOwn = this.#needs.access.covers(this.#rights, event.applicationID);
    const packet = isOwn === true ? message.packet() : undefined;
    if (packet && 'payload' in packet && !(qos === 1 && this.#mustWait())) this.#send(packet, qos);
    else if (isOwn !== false) return this.#takeLater(isOwn, message, qos);
  }

  /** Whether events with quality of service 1 wait for the client. */
  isHeldUp(): boolean {
    return this.#unacknowledged >= this.#mostUnacknowledged || this.#socket.isFull();
  }

  /** Whether events were dropped for 30 s as the client did not read. */
  isUnread(): boolean {
    const since = this.#fullSinceMs;
    return since !== undefined && this.#socket.isFull() && this.#needs.monotonicMs() - since > patienceMs;
  }

  expectsAcknowledgement(): boolean {
    this.#expected -= 1;
    if (this.#expected >= 0) return true;
    this.#expected = 0;
    return false;
  }

  acknowledged(): void {
    this.#unacknowledged = Math.max(0, this.#unacknowledged - 1);
    this.#continue();
  }

  end(): void {
    this.#isOver = true;
    this.#continue();
  }

  /** The highest quality of service among the matching filters; undefined when none matches. */
  #qosOf(levels: readonly string[]): 0 | 1 | undefined {
    let best: 0 | 1 | undefined;
    for (const filter of this.#filters.values())
      if ((best === undefined || filter.qos > best) && lets(filter.levels, levels)) best = filter.qos;
    return best;
  }

  #mustWait(): boolean {
    return !this.#isOver && this.isHeldUp();
  }

  async #takeLater(isOwn: true | Promise<boolean>, message: EventMessage, qos: 0 | 1): Promise<void> {
    if (!(await isOwn)) return;
    const packet = await message.packet();
    while (qos === 1 && this.#mustWait())
      await new Promise<void>((resolve) => {
        this.#continue = resolve;
      });
    if (!this.#isOver) this.#send(packet, qos);
  }

  #send(packet: PublishPacket, qos: 0 | 1): void {
    if (qos === 0 && this.#socket.isFull()) {
      this.#fullSinceMs ??= this.#needs.monotonicMs();
      return this.#drop('slow');
    }
    if (sizeOf(packet, this.#receiver, qos) > this.#receiver.mostPacketBytes) return this.#drop('packet_size');
    this.#fullSinceMs = undefined;
    this.delivered += 1;
    this.#needs.count('mqtt_messages', { direction: 'out' });
    if (qos === 0) return this.#socket.write(partsOf(packet, this.#receiver));
    this.#unacknowledged += 1;
    this.#expected += 1;
    this.#lastMessageID = (this.#lastMessageID % lastMessageID) + 1;
    this.#socket.write(partsOf(packet, this.#receiver, this.#lastMessageID));
  }

  #drop(reason: 'slow' | 'packet_size'): void {
    this.dropped += 1;
    this.#needs.count('mqtt_dropped', { reason });
  }
}
