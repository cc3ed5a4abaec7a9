import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { columns, type EventRow } from '../event-log/row.ts';
import type { Metrics } from '../metrics.ts';

/**
 * Finds events that watchers have not received: messages between instances may get lost, and an instance may end after it
 * committed an event and before it published it. Checks all watched devices together, once a second.
 */
export interface MissedEvents {
  /** Follows the device until the returned function is called. */
  follow: (watcher: Watcher) => () => void;
  stop: () => void;
}

export interface Watcher {
  devEUI: string;
  /** The number of the last event before the first missing one. */
  upTo: () => number;
  /** Gets rows, the oldest first, some of which it may have received. Up to `upTo` no other event is missing. */
  addMissed: (rows: readonly EventRow[], upTo: number) => void;
}

interface MissedEventsDependencies {
  database: Database;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  metrics: Pick<Metrics, 'count'>;
}

/** An event that is missing in two checks does not arrive any more. */
const checkIntervalMs = 1_000;
/** Of one device in one check. Older events are in the history. */
const maxEvents = 100;

/** The last event of a device. */
interface DeviceHead {
  dev_eui: string;
  event_seq: number;
  last_event: number | null;
}
type LinkedRow = EventRow & { previous: number | null };

export function createMissedEvents({ database, clock, log, metrics }: MissedEventsDependencies): MissedEvents {
  /** With the number of the last event at the check before. */
  const watchers = new Map<Watcher, number>();
  let cancel: () => void = () => undefined;
  let isChecking = false;
  let isStopped = false;

  /** The events of devices from their last one back to the given number, by DevEUI, the oldest first. */
  async function eventsOf(
    devices: ReadonlyMap<string, DeviceHead & { after: number }>,
  ): Promise<Map<string, LinkedRow[]>> {
    const found = new Map<string, LinkedRow[]>();
    let positions = [...devices.values()].flatMap(({ last_event }) => last_event ?? []);
    for (let nth = 0; positions.length > 0 && nth < maxEvents; nth += 1) {
      const rows: LinkedRow[] = await eventsAt(database).all({ positions: listOf(positions) });
      positions = [];
      for (const row of rows) {
        found.set(row.dev_eui, [row, ...(found.get(row.dev_eui) ?? [])]);
        const { after } = devices.get(row.dev_eui)!;
        if (row.seq - 1 > after && row.previous !== null) positions.push(row.previous);
      }
    }
    return found;
  }

  async function check(): Promise<void> {
    const devEUIs = [...new Set([...watchers.keys()].map(({ devEUI }) => devEUI))];
    const headsByDevice = new Map(
      (await headsOf(database).all({ devEUIs: listOf(devEUIs) })).map((head) => [head.dev_eui, head]),
    );
    const missing = new Map<string, DeviceHead & { after: number }>();
    const behind: Watcher[] = [];
    for (const [watcher, before] of watchers) {
      const head = headsByDevice.get(watcher.devEUI);
      if (!head) continue;
      watchers.set(watcher, head.event_seq);
      const after = watcher.upTo();
      if (after >= before) continue;
      behind.push(watcher);
      const smallest = Math.min(after, missing.get(watcher.devEUI)?.after ?? after);
      missing.set(watcher.devEUI, { ...head, after: smallest });
    }
    if (behind.length === 0) return;
    const events = await eventsOf(missing);
    for (const watcher of behind) {
      const rows = events.get(watcher.devEUI) ?? [];
      metrics.count('live_events_told_late', {}, rows.filter(({ seq }) => seq > watcher.upTo()).length);
      if (watchers.has(watcher)) watcher.addMissed(rows, missing.get(watcher.devEUI)!.event_seq);
    }
  }

  function scheduleCheck(): void {
    isChecking = watchers.size > 0 && !isStopped;
    if (!isChecking) return;
    const failed = (error: unknown) => log.warn({ err: error }, 'checking for missed events failed; retrying');
    cancel = clock.after(checkIntervalMs, () => void check().catch(failed).finally(scheduleCheck));
  }

  return {
    follow: (watcher) => {
      watchers.set(watcher, 0);
      if (!isChecking) scheduleCheck();
      return () => void watchers.delete(watcher);
    },
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

/** The text of a PostgreSQL array. */
const listOf = (values: readonly (string | number)[]) => `{${values.join(',')}}`;

const headsOf = statement<DeviceHead>()({
  sql: 'select dev_eui, event_seq, last_event from device where dev_eui = any($devEUIs::text[])',
  given: { devEUIs: 'text' },
  only: 'postgres',
});

const eventsAt = statement<LinkedRow>()({
  sql: `select ${columns.join(', ')}, previous from event where pos = any($positions::bigint[])`,
  given: { positions: 'text' },
  only: 'postgres',
});
