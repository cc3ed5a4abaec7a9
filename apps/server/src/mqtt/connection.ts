import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import type { EventLog, LoggedEvent } from '../event-log/event-log.ts';
import type { TopicTemplate } from '../integrations/topic-template.ts';
import { type AcceptCommand, readCommandTopic } from './commands.ts';
import { type Feed, startFeed } from './feed.ts';
import { isFilter, lets } from './filters.ts';
import type { EventMessage } from './messages.ts';
import { type PublishPacket, partsOf, sizeOf } from './publish-packet.ts';
import { Refusal } from './reasons.ts';
import type { Access, ProgramRights, Proof } from './rights.ts';
import { mostSubscriptions, type Receiver, type SignedIn } from './signed-in.ts';
import { createSocketWriter } from './socket-writer.ts';

/** A program that has signed in: the events it gets, and its commands. */
export interface Connection extends SignedIn {
  readonly id: string;
  readonly rights: ProgramRights;
  shown: () => MQTTClient;
  /** Whether another acknowledgement is due, which is then counted as come. */
  isAwaitingOne: () => boolean;
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
/** Programs that begin to count anew would name another message by it later. */
const resentWithinMs = 60_000;
const mostBehind = 100_000;
const mostBehindMs = 10 * 60_000;

let lastID = 0;

export function createConnection(
  needed: ConnectionDependencies,
  client: {
    clientID: string;
    transport: MQTTClient['transport'];
    address: string;
    proof: Proof;
    rights: ProgramRights;
    receiver: Receiver;
  },
  stream: Duplex,
): Connection {
  const { eventLog, access, messageOf, monotonicMs, count, commandTopic, acceptCommand } = needed;
  const { clientID, transport, address, proof, rights, receiver } = client;
  const mostOpen = Math.min(mostUnacknowledged, receiver.mostUnacknowledged);
  const filters = new Map<string, { levels: string[]; qos: 0 | 1 }>();
  const connectedAt = needed.now().toISOString();
  let [delivered, dropped, commands, unacknowledged] = [0, 0, 0, 0];
  let fullSinceMs: number | undefined;
  let isOver = false;
  let feed: Promise<Feed> | undefined;
  let goOn = () => {};
  let messageID = 0;
  /** Acknowledgements that have not come in yet, be they taken or not. */
  let awaited = 0;
  const id = String(++lastID);

  const socket = createSocketWriter(stream);
  const { isFull } = socket;
  stream.on('drain', () => goOn());

  function qosOf(levels: readonly string[]): 0 | 1 | undefined {
    let best: 0 | 1 | undefined;
    for (const filter of filters.values())
      if ((best === undefined || filter.qos > best) && lets(filter.levels, levels)) best = filter.qos;
    return best;
  }

  const isHeldUp = () => !isOver && (unacknowledged >= mostOpen || isFull());

  /** Waits only for what it has to: there are many events, and many who hear each. */
  function take(event: LoggedEvent): void | Promise<void> {
    const message = messageOf(event);
    const qos = qosOf(message.levels);
    if (qos === undefined) return;
    const isOwn = access.covers(rights, event.applicationID);
    const packet = isOwn === true ? message.packet() : undefined;
    if (packet && 'payload' in packet && !(qos === 1 && isHeldUp())) pass(packet, qos);
    else if (isOwn !== false) return takeLater(isOwn, message, qos);
  }

  async function takeLater(isOwn: true | Promise<boolean>, message: EventMessage, qos: 0 | 1): Promise<void> {
    if (!(await isOwn)) return;
    const packet = await message.packet();
    while (qos === 1 && isHeldUp())
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    if (!isOver) pass(packet, qos);
  }

  function pass(packet: PublishPacket, qos: 0 | 1): void {
    if (qos === 0 && isFull()) return dropAsSlow();
    if (sizeOf(packet, receiver, qos) > receiver.mostPacketBytes) return drop('packet_size');
    fullSinceMs = undefined;
    delivered += 1;
    count('mqtt_messages', { direction: 'out' });
    if (qos === 0) return socket.write(partsOf(packet, receiver));
    unacknowledged += 1;
    awaited += 1;
    messageID = (messageID % lastMessageID) + 1;
    socket.write(partsOf(packet, receiver, messageID));
  }

  function dropAsSlow(): void {
    fullSinceMs ??= monotonicMs();
    drop('slow');
  }

  function drop(reason: 'slow' | 'packet_size'): void {
    dropped += 1;
    count('mqtt_dropped', { reason });
  }

  return {
    id,
    proof,
    rights,
    subscribe: async (filter, wanted) => {
      const qos = wanted > 0 ? 1 : 0;
      if (!isFilter(filter)) return 'filter';
      if (!(await access.mayHear(rights, filter))) return 'not_authorized';
      if (!filters.has(filter) && filters.size >= mostSubscriptions) return 'too_many';
      filters.set(filter, { levels: filter.split('/'), qos });
      const applicationID = rights.scope === 'application' ? rights.id : undefined;
      feed ??= startFeed(eventLog, { applicationID, take }, needed.onFailure);
      await feed.catch((error: unknown) => {
        feed = undefined;
        filters.delete(filter);
        throw error;
      });
      if (isOver) (await feed).stop();
      return qos;
    },
    unsubscribe: (filter) => {
      const wasThere = filters.delete(filter);
      if (filters.size > 0) return wasThere;
      const idle = feed;
      feed = undefined;
      idle?.then((one) => one.stop()).catch(needed.onFailure);
      return wasThere;
    },
    isAwaitingOne: () => {
      awaited -= 1;
      if (awaited >= 0) return true;
      awaited = 0;
      return false;
    },
    acknowledged: () => {
      unacknowledged = Math.max(0, unacknowledged - 1);
      goOn();
    },
    publish: async ({ topic, payload, messageID, isDuplicate }) => {
      const target = readCommandTopic(commandTopic, topic);
      if (!target || !(await access.covers(rights, target.applicationID))) {
        count('mqtt_refused', { reason: 'publish' });
        throw new Refusal('not_authorized');
      }
      count('mqtt_messages', { direction: 'in' });
      const sender = `${rights.by}/${clientID}`;
      const reason = await acceptCommand({
        ...target,
        payload,
        resendable: messageID === undefined ? undefined : { sender, messageID, isDuplicate, forMs: resentWithinMs },
      });
      commands += 1;
      return reason;
    },
    hangsBack: async () => {
      if (fullSinceMs !== undefined && isFull() && monotonicMs() - fullSinceMs > patienceMs)
        return 'it did not read for 30 s';
      if (unacknowledged < mostOpen && !isFull()) return undefined;
      const { events, oldestAt } = (await (await feed)?.behind()) ?? { events: 0, oldestAt: undefined };
      if (events > mostBehind) return `${events} events wait for it`;
      const waitsMs = oldestAt === undefined ? 0 : needed.now().getTime() - oldestAt.getTime();
      return waitsMs > mostBehindMs ? 'events wait for it for 10 min' : undefined;
    },
    shown: () => ({
      id,
      clientID,
      transport,
      address,
      connectedAt,
      signedInBy: rights.by,
      subscriptions: [...filters.keys()],
      delivered,
      dropped,
      commands,
    }),
    end: () => {
      isOver = true;
      goOn();
      void feed?.then(
        (one) => one.stop(),
        () => undefined,
      );
    },
  };
}
