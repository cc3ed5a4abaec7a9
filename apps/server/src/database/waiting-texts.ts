import { sql } from 'kysely';
import type { Database } from './database.ts';
import { perDatabase, prepare } from './prepared.ts';

/** So many are taken in at once, which takes two or three milliseconds. */
const mostTogether = 100;
const waitMs = 250;

/** On SQLite, which devices the index of texts has still to take in; on PostgreSQL none ever. */
export const waitsForIndex = sql<boolean>`${sql.ref('device.search_row')} = 0`;

/** Texts of devices that were made lately: a search looks at them one by one until the index has taken them in. */
export const waitingTexts = perDatabase((database) => {
  const find = prepare<{ most: number }>()(database, (query, $) =>
    query.selectFrom('device').select('dev_eui').where(waitsForIndex).limit($.most),
  );
  const takeIn = prepare<{ most: number }>()(database, (query, $) =>
    query
      .updateTable('device')
      .set({ search_row: null } as object)
      .where('dev_eui', 'in', (eb) => eb.selectFrom('device').select('dev_eui').where(waitsForIndex).limit($.most))
      .returning('dev_eui'),
  );
  let made = 0;
  let timer: NodeJS.Timeout | undefined;

  /** What a power cut undoes waits again. */
  async function takeAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    made = 0;
    const taken = await takeIn.allUnflushed({ most: mostTogether });
    if (taken.length === mostTogether) soon();
  }

  function soon(): void {
    // Whom the storage refuses now goes on waiting, and is found all the same.
    timer ??= setTimeout(() => void takeAll().catch(() => undefined), waitMs).unref();
  }

  return {
    /** Up to so many. */
    find: async (most: number): Promise<string[]> => {
      const waiting = (await find.all({ most })).map((row) => row.dev_eui);
      if (waiting.length > 0) soon();
      return waiting;
    },
    /** One more waits, once its transaction is on disk. */
    add: (): void =>
      database.afterCommit(() => {
        soon();
        if (++made === mostTogether) void takeAll().catch(() => undefined);
      }),
    takeAll,
  };
});

/** What a new device has in the column that the index of texts looks at. */
export const newSearchRow = ({ kind }: Database): object => (kind === 'sqlite' ? { search_row: 0 } : {});
