import { perDatabase } from './per-database.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

/** The number of texts that are indexed at once, which takes two or three milliseconds. */
const maxTogether = 100;
const waitMs = 250;

/** The condition of the index of devices that are not in the index of texts yet; on PostgreSQL there are none. */
export const isUnindexed = 'device.search_row = 0';

// SQLite would plan a statement anew for each value of a bare limit.
const findWaiting = statement<RowOf<'device', 'dev_eui'>>()({
  sql: `select dev_eui from device where ${isUnindexed} limit $most + 0`,
  given: { most: 'int8' },
  only: 'sqlite',
});

const markIndexed = statement<RowOf<'device', 'dev_eui'>>()({
  sql: `update device set search_row = null
    where dev_eui in (select dev_eui from device where ${isUnindexed} limit $most + 0)
    returning dev_eui`,
  given: { most: 'int8' },
  only: 'sqlite',
});

/** Texts of new devices: a search reads them one by one until they are indexed. */
export const unindexedTexts = perDatabase((database) => {
  let made = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Indexes waiting devices. When a power failure undoes that, they wait again. */
  async function indexAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    made = 0;
    const indexed = await markIndexed(database).allUnflushed({ most: maxTogether });
    if (indexed.length === maxTogether) soon();
  }

  function soon(): void {
    // Devices that cannot be indexed now still wait, and searches find them all the same.
    timer ??= setTimeout(() => void indexAll().catch(() => undefined), waitMs).unref();
  }

  return {
    /** Waiting devices, at most so many. */
    find: async (most: number): Promise<string[]> => {
      const waiting = (await findWaiting(database).all({ most })).map((row) => row.dev_eui);
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
