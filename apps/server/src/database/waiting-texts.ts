import { sql } from 'kysely';
import type { Database } from './database.ts';
import { perDatabase, prepare } from './prepared.ts';

/** The number of texts that are indexed at once, which takes two or three milliseconds. */
const maxTogether = 100;
const waitMs = 250;

/** Devices that are not in the index of texts yet; on PostgreSQL there are none. */
export const waitsForIndex = sql<boolean>`${sql.ref('device.search_row')} = 0`;

/** Texts of new devices: a search reads them one by one until they are indexed. */
export const waitingTexts = perDatabase((database) => {
  const find = prepare<{ most: number }>()(database, (query, $) =>
    query.selectFrom('device').select('dev_eui').where(waitsForIndex).limit($.most),
  );
  const markIndexed = prepare<{ most: number }>()(database, (query, $) =>
    query
      .updateTable('device')
      .set({ search_row: null } as object)
      .where('dev_eui', 'in', (eb) => eb.selectFrom('device').select('dev_eui').where(waitsForIndex).limit($.most))
      .returning('dev_eui'),
  );
  let made = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Indexes waiting devices. When a power failure undoes that, they wait again. */
  async function indexAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    made = 0;
    const indexed = await markIndexed.allUnflushed({ most: maxTogether });
    if (indexed.length === maxTogether) soon();
  }

  function soon(): void {
    // Devices that cannot be indexed now still wait, and searches find them all the same.
    timer ??= setTimeout(() => void indexAll().catch(() => undefined), waitMs).unref();
  }

  return {
    /** Waiting devices, at most so many. */
    find: async (most: number): Promise<string[]> => {
      const waiting = (await find.all({ most })).map((row) => row.dev_eui);
      if (waiting.length > 0) soon();
      return waiting;
    },
    /** Counts one more waiting device when its transaction is on disk. */
    add: (): void =>
      database.afterCommit(() => {
        soon();
        if (++made === maxTogether) void indexAll().catch(() => undefined);
      }),
    indexAll,
  };
});

/** The column by which the index of texts finds a new device. */
export const newSearchRow = ({ kind }: Database): object => (kind === 'sqlite' ? { search_row: 0 } : {});
