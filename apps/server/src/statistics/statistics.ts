import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import { addCounters, type Counters } from './counters.ts';
import { foldFacts } from './fold.ts';
import { bucketStart, type Interval, intervalNames, intervals, nextBucket } from './interval.ts';

export type Statistics = {
  /** Counts something of `subject` (`device:<devEUI>`, `gateway:<id>`) in the current transaction. */
  record(subject: string, at: number, counters: Counters): Promise<void>;
  /** One record per bucket from the one of `from` to the one of `to`, empty ones included. */
  read(subject: string, interval: Interval, from: number, to: number): Promise<{ start: number; counters: Counters }[]>;
  remove(subjects: readonly string[]): Promise<void>;
  /** Adds what was recorded to the buckets, and forgets buckets that are too old. */
  fold(now: number): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

const foldEveryMs = 15_000;
/** Rows or subjects of one statement. */
const slice = 500;

/**
 * Counts per device and gateway. An event appends one small row to `metric_fact` in its own transaction; every few
 * seconds the rows of one subject become one change of its minute, hour, day and month.
 */
export function createStatistics({ database, log }: { database: Database; log: Logger }): Statistics {
  const append = prepare<{ subject: string; at: number; counters: string }>()(database, (query, $) =>
    query.insertInto('metric_fact').values({ subject: $.subject, at: $.at, counters: $.counters }),
  );
  let timer: NodeJS.Timeout | undefined;
  let folding: Promise<void> = Promise.resolve();

  async function fold(now: number) {
    await foldFacts(database);
    for (const interval of intervalNames) {
      await forgetBefore(database.query, interval, now - intervals[interval].keptMs);
    }
  }

  const foldLater = () => {
    folding = folding
      .then(() => fold(Date.now()))
      .catch((error: unknown) =>
        log.error({ err: error }, 'Statistics could not be added up; the next round tries again.'),
      );
  };

  return {
    record: async (subject, at, counters) => {
      await append.run({ subject, at, counters: JSON.stringify(counters) });
    },
    read: async (subject, interval, from, to) => {
      const first = bucketStart(interval, Math.max(from, Date.now() - intervals[interval].keptMs));
      const found = new Map<number, Counters>();
      for (const { at, counters } of await rowsOf(database.query, subject, interval, first)) {
        const start = bucketStart(interval, at);
        found.set(start, addCounters(found.get(start) ?? {}, JSON.parse(counters) as Counters));
      }
      const buckets = [];
      for (let start = bucketStart(interval, from); start <= to; start = nextBucket(interval, start)) {
        buckets.push({ start, counters: found.get(start) ?? {} });
      }
      return buckets;
    },
    remove: async (subjects) => {
      for (let first = 0; first < subjects.length; first += slice) {
        const some = subjects.slice(first, first + slice);
        await database.query.deleteFrom('metric_fact').where('subject', 'in', some).execute();
        await database.query.deleteFrom('metric').where('subject', 'in', some).execute();
      }
    },
    fold,
    start: () => {
      timer ??= setInterval(foldLater, foldEveryMs);
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      await folding;
    },
  };
}

/** One statement, so that a fold between two reads cannot count anything twice or not at all. */
function rowsOf(query: Database['query'], subject: string, interval: Interval, first: number) {
  return query
    .selectFrom('metric')
    .select(['start as at', 'counters'])
    .where('subject', '=', subject)
    .where('interval', '=', interval)
    .where('start', '>=', first)
    .unionAll(
      query
        .selectFrom('metric_fact')
        .select(['at', 'counters'])
        .where('subject', '=', subject)
        .where('at', '>=', first),
    )
    .execute();
}

async function forgetBefore(query: Database['query'], interval: Interval, before: number) {
  for (let changed = slice; changed >= slice; ) {
    const { numAffectedRows } = await sql`
      delete from metric where (subject, interval, start) in
        (select subject, interval, start from metric where interval = ${interval} and start < ${before} limit ${slice})
    `.execute(query);
    changed = Number(numAffectedRows ?? 0);
  }
}
