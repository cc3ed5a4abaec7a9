import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';

interface RowChangesDependencies {
  database: Database;
  bus: Pick<Bus, 'subscribeToPeers'>;
  clock: Pick<Clock, 'after'>;
  log: Pick<Logger, 'error'>;
  /** Called for each network server whose row or radio settings another instance changed. */
  onChange: (networkServerID: number) => Promise<void>;
}

export interface RowChanges {
  start: () => Promise<void>;
  stop: () => void;
}

const readEveryMs = 5_000;

/**
 * Notices network servers that other instances changed: by the bus, and by reading rows regularly, since messages may
 * get lost.
 */
export function watchRowChanges({ database, bus, clock, log, onChange }: RowChangesDependencies): RowChanges {
  const failed = (error: unknown) => log.error({ err: error }, 'a network-server that changed could not be read');
  /** By id: when the radio settings were written, at the last read. */
  let known = new Map<number, string>();
  let cancelRead: () => void = () => undefined;
  let unsubscribe: () => void = () => undefined;
  let isStopped = false;

  async function writeTimes(): Promise<Map<number, string>> {
    const rows = await database.query
      .selectFrom('network_server')
      .leftJoin('network_radio', 'network_radio.network_server_id', 'network_server.id')
      .select(['network_server.id', 'network_radio.updated_at'])
      .execute();
    return new Map(rows.map(({ id, updated_at }) => [id, updated_at?.toISOString() ?? '']));
  }

  async function read(): Promise<void> {
    const now = await writeTimes();
    const before = known;
    known = now;
    const changed = new Set([...before.keys(), ...now.keys()]).values().filter((id) => before.get(id) !== now.get(id));
    for (const id of changed) await onChange(id);
  }

  function readLater(): void {
    if (isStopped) return;
    cancelRead = clock.after(readEveryMs, () => void read().catch(failed).finally(readLater));
  }

  return {
    start: async () => {
      unsubscribe = await bus.subscribeToPeers('network-server-changed', '', ({ id }) => {
        onChange(id).catch(failed);
      });
      known = await writeTimes();
      readLater();
    },
    stop: () => {
      isStopped = true;
      unsubscribe();
      cancelRead();
    },
  };
}
