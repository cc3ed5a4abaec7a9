import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import type { EventLog, LoggedEvent } from '../event-log/event-log.ts';
import { type Feed, startFeed } from './feed.ts';
import { isFilter, lets } from './filters.ts';
import type { EventMessage } from './messages.ts';
import type { Access, Proof, Rights } from './rights.ts';

/** A client that has signed in, and the events it gets. */
export interface Connection {
  readonly id: string;
  readonly proof: Proof;
  readonly rights: Rights;
  /** The quality of service that is granted; undefined when the filter is refused. */
  subscribe: (filter: string, qos: number) => Promise<0 | 1 | undefined>;
  unsubscribe: (filter: string) => void;
  /** One of the events sent with quality of service 1 has arrived. */
  acknowledged: () => void;
  commanded: () => void;
  /** Looks whether it is too slow to go on; answers why. */
  hangsBack: () => Promise<string | undefined>;
  shown: () => MQTTClient;
  end: () => void;
}

/** Hands a message to the client. */
export type Send = (message: { topic: string; payload: Buffer; qos: 0 | 1 }) => void;

interface Needed {
  eventLog: EventLog;
  access: Access;
  messageOf: (event: LoggedEvent) => EventMessage;
  monotonicMs: () => number;
  now: () => Date;
  count: (name: string, labels: Record<string, string>) => void;
  onFailure: (error: unknown) => void;
}

const mostSubscriptions = 50;
const mostUnsent = 256 << 10;
const mostUnacknowledged = 100;
const patienceMs = 30_000;
const mostBehind = 100_000;
const mostBehindMs = 10 * 60_000;

let lastID = 0;

export function createConnection(
  needed: Needed,
  client: { clientID: string; transport: MQTTClient['transport']; address: string; proof: Proof; rights: Rights },
  stream: Duplex,
  send: Send,
): Connection {
  const { eventLog, access, messageOf, monotonicMs, count } = needed;
  const { clientID, transport, address, proof, rights } = client;
  const filters = new Map<string, { levels: string[]; qos: 0 | 1 }>();
  const connectedAt = needed.now().toISOString();
  let [delivered, dropped, commands, unacknowledged] = [0, 0, 0, 0];
  let fullSinceMs: number | undefined;
  let isOver = false;
  let feed: Promise<Feed> | undefined;
  let goOn = () => {};
  const id = String(++lastID);

  const isFull = () => stream.writableLength > mostUnsent;
  stream.on('drain', () => goOn());

  function qosOf(levels: readonly string[]): 0 | 1 | undefined {
    let best: 0 | 1 | undefined;
    for (const filter of filters.values())
      if ((best === undefined || filter.qos > best) && lets(filter.levels, levels)) best = filter.qos;
    return best;
  }

  async function take(event: LoggedEvent): Promise<void> {
    const message = messageOf(event);
    const qos = qosOf(message.levels);
    if (qos === undefined || !(await access.covers(rights, event.applicationID))) return;
    const payload = await message.payload();
    if (qos === 0) {
      if (isFull()) return drop();
      return pass({ topic: message.topic, payload, qos });
    }
    while (!isOver && (unacknowledged >= mostUnacknowledged || isFull()))
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    if (isOver) return;
    unacknowledged += 1;
    pass({ topic: message.topic, payload, qos });
  }

  function pass(message: Parameters<Send>[0]): void {
    fullSinceMs = undefined;
    delivered += 1;
    count('mqtt_messages', { direction: 'out' });
    send(message);
  }

  function drop(): void {
    fullSinceMs ??= monotonicMs();
    dropped += 1;
    count('mqtt_dropped', { reason: 'slow' });
  }

  return {
    id,
    proof,
    rights,
    subscribe: async (filter, wanted) => {
      const qos = wanted > 0 ? 1 : 0;
      if (!isFilter(filter) || !(await access.mayHear(rights, filter))) return undefined;
      if (!filters.has(filter) && filters.size >= mostSubscriptions) return undefined;
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
      filters.delete(filter);
      if (filters.size > 0) return;
      const idle = feed;
      feed = undefined;
      void idle?.then((one) => one.stop());
    },
    acknowledged: () => {
      unacknowledged = Math.max(0, unacknowledged - 1);
      goOn();
    },
    commanded: () => {
      commands += 1;
    },
    hangsBack: async () => {
      if (fullSinceMs !== undefined && isFull() && monotonicMs() - fullSinceMs > patienceMs)
        return 'it did not read for 30 s';
      if (unacknowledged < mostUnacknowledged && !isFull()) return undefined;
      const { events, oldestAt } = (await (await feed)?.behind()) ?? { events: 0, oldestAt: undefined };
      if (events > mostBehind) return `${events} events wait for it`;
      const waitsMs = oldestAt === undefined ? 0 : needed.now().getTime() - oldestAt.getTime();
      return waitsMs > mostBehindMs ? 'events wait for it for 10 min' : undefined;
    },
    shown: () => ({
      ...{ id, clientID, transport, address, connectedAt, signedInBy: rights.by },
      subscriptions: [...filters.keys()],
      ...{ delivered, dropped, commands },
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
