import type { Clock } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import { columns, type EventRow } from '../event-log/row.ts';
import type { Metrics } from '../metrics.ts';

/**
 * Shows those who watch events of devices what they were not told: messages between instances may be lost, and the one
 * that committed an event may have ended before it told. Looks at all watched devices together.
 */
export interface MissedEvents {
  /** Until the answer is called. */
  follow: (watcher: Watcher) => () => void;
  stop: () => void;
}

export interface Watcher {
  devEUI: string;
  /** The number of the event up to which nothing is missing. */
  upTo: () => number;
  /** The oldest first, with some that may have been shown; nothing else is missing up to this number. */
  tell: (rows: readonly EventRow[], upTo: number) => void;
}

interface MissedEventsDependencies {
  database: Database;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  metrics: Pick<Metrics, 'count'>;
}

/** What is missing in two looks is not on its way any more. */
const lookEveryMs = 1_000;
/** Of one device at a look; what is older can be read in its history. */
const mostEvents = 100;

/** The last event of a device. */
interface Head {
  dev_eui: string;
  event_seq: number;
  last_event: number | null;
}
type Row = EventRow & { previous: number | null };

export function createMissedEvents({ database, clock, log, metrics }: MissedEventsDependencies): MissedEvents {
  /** With the number of the last event at the look before. */
  const watchers = new Map<Watcher, number>();
  let cancel: () => void = () => undefined;
  let isLooking = false;
  let isStopped = false;

  const heads = prepare<{ devEUIs: string }>()(database, (query, $) =>
    query
      .selectFrom('device')
      .select(['dev_eui', 'event_seq', 'last_event'])
      .where(sql<boolean>`dev_eui = any(${$.devEUIs}::text[])`),
  );
  const rowsAt = prepare<{ places: string }>()(database, (query, $) =>
    query
      .selectFrom('event')
      .select([...columns, 'previous'])
      .where(sql<boolean>`pos = any(${$.places}::bigint[])`),
  );

  /** The events of devices from their last one back to the given number, by DevEUI, the oldest first. */
  async function eventsOf(devices: ReadonlyMap<string, Head & { after: number }>): Promise<Map<string, Row[]>> {
    const found = new Map<string, Row[]>();
    let places = [...devices.values()].flatMap(({ last_event }) => last_event ?? []);
    for (let nth = 0; places.length > 0 && nth < mostEvents; nth += 1) {
      const rows: Row[] = await rowsAt.all({ places: listOf(places) });
      places = [];
      for (const row of rows) {
        found.set(row.dev_eui, [row, ...(found.get(row.dev_eui) ?? [])]);
        const { after } = devices.get(row.dev_eui)!;
        if (row.seq - 1 > after && row.previous !== null) places.push(row.previous);
      }
    }
    return found;
  }

  async function look(): Promise<void> {
    const devEUIs = [...new Set([...watchers.keys()].map(({ devEUI }) => devEUI))];
    const known = new Map((await heads.all({ devEUIs: listOf(devEUIs) })).map((head) => [head.dev_eui, head]));
    const missing = new Map<string, Head & { after: number }>();
    const behind: Watcher[] = [];
    for (const [watcher, before] of watchers) {
      const head = known.get(watcher.devEUI);
      if (!head) continue;
      watchers.set(watcher, head.event_seq);
      const after = watcher.upTo();
      if (after >= before) continue;
      behind.push(watcher);
      const least = Math.min(after, missing.get(watcher.devEUI)?.after ?? after);
      missing.set(watcher.devEUI, { ...head, after: least });
    }
    if (behind.length === 0) return;
    const events = await eventsOf(missing);
    for (const watcher of behind) {
      const rows = events.get(watcher.devEUI) ?? [];
      metrics.count('live_events_told_late', {}, rows.filter(({ seq }) => seq > watcher.upTo()).length);
      if (watchers.has(watcher)) watcher.tell(rows, missing.get(watcher.devEUI)!.event_seq);
    }
  }

  function keepLooking(): void {
    isLooking = watchers.size > 0 && !isStopped;
    if (!isLooking) return;
    const failed = (error: unknown) => log.warn({ err: error }, 'events that were not told could not be looked for');
    cancel = clock.after(lookEveryMs, () => void look().catch(failed).finally(keepLooking));
  }

  return {
    follow: (watcher) => {
      watchers.set(watcher, 0);
      if (!isLooking) keepLooking();
      return () => void watchers.delete(watcher);
    },
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

/** As the text of an array. */
const listOf = (values: readonly (string | number)[]) => `{${values.join(',')}}`;
