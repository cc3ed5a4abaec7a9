import type { LoggedEvent } from '../event-log/event-log.ts';
import type { DeliveryEntry } from './device-queues.ts';

/** What was read and is not done, and what is done although something before it is not. */
export interface Unfinished {
  /** How many more may be read; events before the oldest one that is not done take no room. */
  room(): number;
  add(event: LoggedEvent): DeliveryEntry;
  has(event: LoggedEvent): boolean;
  /** False when it is not among these: done already, or set aside. */
  finish(entry: DeliveryEntry): boolean;
  /** Whether it was done or set aside in an earlier process. */
  wasDone(event: LoggedEvent): boolean;
  /** All that were done in an earlier process have been read again. */
  forgetDone(): void;
  oldest(): DeliveryEntry | undefined;
  events(): LoggedEvent[];
  /** No event is to blame for what failed until now. */
  pardon(): void;
  size(): number;
  /** Numbers of events that stay done in a later process. */
  doneAhead(): number[];
}

const most = { events: 2048, bytes: 8_000_000 };

/** `before` are the numbers of events that were done or set aside in an earlier process. */
export function createUnfinished(before: Iterable<number>): Unfinished {
  /** In the order of reading. */
  const open = new Map<number, DeliveryEntry>();
  let bytes = 0;
  let read = 0;
  const known = new Set(before);
  /** Done ones, by when they were read. */
  const ahead = new Map<number, number>();

  const oldest = () => {
    const [first] = open.values();
    return first;
  };

  return {
    room: () => {
      const first = oldest();
      return bytes >= most.bytes ? 0 : most.events - (first ? read - first.number : 0);
    },
    add: (event) => {
      const entry: DeliveryEntry = { event, number: read, attempts: 0, done: new Set(), unlucky: 0 };
      read += 1;
      open.set(event.pos, entry);
      bytes += event.json.length;
      return entry;
    },
    has: ({ pos }) => open.has(pos),
    finish: ({ event, number }) => {
      if (!open.delete(event.pos)) return false;
      ahead.set(event.pos, number);
      bytes -= event.json.length;
      return true;
    },
    wasDone: ({ pos }) => {
      if (!known.delete(pos)) return false;
      ahead.set(pos, read);
      return true;
    },
    forgetDone: () => known.clear(),
    oldest,
    pardon: () => {
      for (const entry of open.values()) entry.unlucky = 0;
    },
    events: () => Array.from(open.values(), ({ event }) => event),
    size: () => open.size,
    doneAhead: () => {
      const first = oldest();
      for (const [pos, number] of ahead) if (!first || number < first.number) ahead.delete(pos);
      return [...ahead.keys(), ...known];
    },
  };
}
