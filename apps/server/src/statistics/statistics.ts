import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { isInList } from '../database/in-list.ts';
import { statement } from '../database/statement.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { PreparedStatement } from '../database/unit.ts';
import type { Metrics } from '../metrics.ts';
import { forgetOldAirtime, removeAirtime, renameAirtime } from './airtime-rows.ts';
import { addCounters, type Counters } from './counters.ts';
import { foldFacts } from './fold.ts';
import { bucketStart, type Interval, intervals, nextBucket } from './interval.ts';
import { forgetOld } from './retention.ts';
import { yielding } from './yielding.ts';

type StatisticsDependencies = {
  database: Database;
  log: Logger;
  clock: Clock;
  steadyTime: SteadyTime;
  metrics: Metrics;
  /** How many facts are in memory at once. */
  factsPerRound?: number;
};

export type Statistics = {
  /** Counts something of `subject` (`device:<devEUI>`, `gateway:<id>`) in the current transaction. */
  record(subject: string, at: number, counters: Counters): Promise<void>;
  /** The statement that `record` runs. */
  recording(subject: string, at: number, counters: Counters): PreparedStatement;
  /** One record per bucket from the one of `from` to the one of `to`, empty ones included. */
  read(subject: string, interval: Interval, from: number, to: number): Promise<{ start: number; counters: Counters }[]>;
  /** The buckets of many subjects from the one of `from` on, without the facts of the last minute and without empty ones. */
  readMany(
    subjects: readonly string[],
    interval: Interval,
    from: number,
  ): Promise<ReadonlyMap<string, readonly { start: number; counters: Counters }[]>>;
  remove(subjects: readonly string[]): Promise<void>;
  /** Removes buckets and leaves the facts of the last minute, which take longer to find. */
  removeBuckets(subjects: readonly string[]): Promise<void>;
  /** Gives the buckets of a subject to another one, without the facts of the last minute. */
  rename(subject: string, to: string): Promise<void>;
  /** Adds recorded facts to the buckets, and removes buckets that are too old. */
  fold(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

/** With a longer interval, more facts of one subject change its buckets together. Readers include waiting facts. */
const foldEveryMs = 60_000;
/** A minute of 8,000 uplinks per second. */
const usualRound = 500_000;
/** A round works for a fifth of the time: without pauses it would delay uplinks for seconds. */
const pauseTimes = 4;
/** Facts that one statement may scan: SQLite blocks the process meanwhile. */
const factsPerScan = 5000;
const mostScans = 5;
/** Rows or subjects of one statement. */
const slice = 500;

const appendFact = statement()({
  sql: ({ values }) => `insert into metric_fact (subject, at, counters) ${values('$subject, $at, $counters')}`,
  given: { subject: 'text', at: 'int8', counters: 'text' },
  batch: {},
});

/**
 * Counts per device and gateway. An event appends one small row to `metric_fact` in its own transaction; every
 * minute the rows of one subject become one change of its minute, hour, day and month.
 */
export function createStatistics(needs: StatisticsDependencies): Statistics {
  const { database, clock } = needs;
  const folding = new Folding(needs);

  return {
    record: async (subject, at, counters) => {
      await appendFact(database).run({ subject, at, counters: JSON.stringify(counters) });
    },
    recording: (subject, at, counters) => ({
      query: appendFact(database).query({ subject, at, counters: JSON.stringify(counters) }),
    }),
    read: (subject, interval, from, to) => {
      const first = bucketStart(interval, Math.max(from, clock.now().getTime() - intervals[interval].keptMs));
      return readBuckets(database.query, { subject, interval, first }, { from, to });
    },
    readMany: (subjects, interval, from) => readManySubjects(database, subjects, { interval, from }),
    remove: async (subjects) => {
      for (let first = 0; first < subjects.length; first += slice) {
        const chunk = subjects.slice(first, first + slice);
        await removeFacts(database, chunk);
        await removeBuckets(database, chunk);
      }
      await removeAirtime(database, gatewaysAmong(subjects));
    },
    removeBuckets: (subjects) => removeBuckets(database, subjects),
    rename: async (subject, to) => {
      const { query } = database;
      // A fold that is under way has added some of them, under the former name.
      await query.deleteFrom('metric_fact').where('subject', '=', subject).execute();
      await query.deleteFrom('metric').where('subject', '=', to).execute();
      await query.updateTable('metric').set({ subject: to }).where('subject', '=', subject).execute();
      const [former, next] = gatewaysAmong([subject, to]);
      if (former && next) await renameAirtime(database, former, next);
    },
    fold: () => folding.runNow(),
    start: () => folding.start(),
    stop: () => folding.stop(),
  };
}

async function removeBuckets({ query }: Database, subjects: readonly string[]): Promise<void> {
  await query.deleteFrom('metric').where('subject', 'in', subjects).execute();
}

/** In pages, between which others can write. */
async function removeFacts({ query, transactionKey }: Database, subjects: readonly string[]): Promise<void> {
  const facts = query.deleteFrom('metric_fact').where('subject', 'in', subjects);
  if (transactionKey !== undefined) return void (await facts.execute());
  const { first, last } = await endsOfWaiting(query);
  for (let from = first; from < last; from += factsPerScan) {
    const page = facts.where('id', '>=', from);
    await page.where('id', '<', from + factsPerScan).execute();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Adds recorded facts to the buckets every minute. */
class Folding {
  readonly #needs: StatisticsDependencies;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopping = new AbortController();
  #waiting = 0;

  constructor(needs: StatisticsDependencies) {
    this.#needs = needs;
    needs.metrics.gauge('statistics_waiting', 'Recorded facts that are not added up yet.', () => this.#waiting);
  }

  start(): void {
    if (this.#timer) return;
    this.#stopping = new AbortController();
    this.#timer = setInterval(() => this.#runLogged(), foldEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopping.abort();
    await this.#running;
  }

  /** Without pauses. */
  runNow(): Promise<void> {
    return this.#run(AbortSignal.abort());
  }

  /** Folds run one at a time: a fold includes facts that arrive meanwhile. */
  #runLogged(): void {
    this.#running ??= this.#run(this.#stopping.signal)
      .catch((error: unknown) =>
        this.#needs.log.error({ err: error }, 'Statistics could not be added up; the next round tries again.'),
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #run(hurry: AbortSignal): Promise<void> {
    const { database, factsPerRound = usualRound } = this.#needs;
    await this.#forget();
    let isMore = true;
    while (isMore) {
      this.#waiting = await countWaiting(database);
      const isBehind = this.#waiting > factsPerRound;
      const pause = yielding(pauseTimes, isBehind ? AbortSignal.abort() : hurry);
      isMore = await foldFacts(database, { factsPerRound, pause });
    }
    this.#waiting = 0;
  }

  /** When removing buckets fails, facts are added all the same. */
  async #forget(): Promise<void> {
    const { database, steadyTime, log } = this.#needs;
    try {
      const now = await steadyTime.moveOn();
      await forgetOld(database, now);
      await forgetOldAirtime(database, now);
    } catch (error) {
      log.error({ err: error }, 'Old statistics could not be removed; the next round tries again.');
    }
  }
}

const gatewayPrefix = 'gateway:';

const gatewaysAmong = (subjects: readonly string[]): string[] =>
  subjects.flatMap((subject) => (subject.startsWith(gatewayPrefix) ? [subject.slice(gatewayPrefix.length)] : []));

/** Numbers are consecutive, so the distance between the first and the last is a good estimate. */
async function countWaiting({ query }: Database): Promise<number> {
  const { first, last } = await endsOfWaiting(query);
  return last - first;
}

/** The first number and the one after the last, each by a query of its own: SQLite would read all rows for both. */
async function endsOfWaiting(query: Database['query']): Promise<{ first: number; last: number }> {
  const ends = query.selectFrom('metric_fact');
  const { first, last } = await query
    .selectNoFrom([
      ends.select(({ fn }) => fn.min('id').as('id')).as('first'),
      ends.select(({ fn }) => fn.max('id').as('id')).as('last'),
    ])
    .executeTakeFirstOrThrow();
  return { first: Number(first ?? 0), last: first === null ? 0 : Number(last) + 1 };
}

/** One record per bucket from the one of `from` to the one of `to`, empty ones included. */
async function readBuckets(
  query: Database['query'],
  wanted: Wanted,
  { from, to }: { from: number; to: number },
): Promise<{ start: number; counters: Counters }[]> {
  const { interval } = wanted;
  const found = new Map<number, Counters>();
  for (const { at, counters } of await rowsOf(query, wanted)) {
    const start = bucketStart(interval, at);
    found.set(start, addCounters(found.get(start) ?? {}, JSON.parse(counters) as Counters));
  }
  const buckets = [];
  for (let start = bucketStart(interval, from); start <= to; start = nextBucket(interval, start)) {
    buckets.push({ start, counters: found.get(start) ?? {} });
  }
  return buckets;
}

/** The stored buckets from the one of `from` on, by subject; facts that wait are not counted. */
async function readManySubjects(
  { query, kind }: Database,
  subjects: readonly string[],
  { interval, from }: { interval: Interval; from: number },
): ReturnType<Statistics['readMany']> {
  const rows = await query
    .selectFrom('metric')
    .select(['subject', 'start', 'counters'])
    .where(isInList(kind, 'subject', subjects))
    .where('interval', '=', interval)
    .where('start', '>=', bucketStart(interval, from))
    .execute();
  const buckets = rows.map(({ subject, start, counters }) => {
    return { subject, start, counters: JSON.parse(counters) as Counters };
  });
  return Map.groupBy(buckets, ({ subject }) => subject);
}

/** Which rows to read: buckets of a subject and interval, and its facts, that start or happened at `first` or later. */
type Wanted = { subject: string; interval: Interval; first: number };
type Counted = { at: number; counters: string };

/**
 * Facts have no index by subject, because each uplink would have to update it. Many facts are scanned in pages; when
 * buckets have changed afterwards, a fold ran meanwhile and the scan starts again.
 */
async function rowsOf(query: Database['query'], wanted: Wanted): Promise<Counted[]> {
  const facts = ({ subject, first }: Wanted) => {
    const added = query
      .selectFrom('metric_fold')
      .select('id')
      .where('upto', '>=', sql.ref<number>('metric_fact.id'))
      .where('subject', '>=', subject);
    return query
      .selectFrom('metric_fact')
      .select(['at', 'counters'])
      .where('metric_fact.subject', '=', subject)
      .where('at', '>=', first)
      .where((eb) => eb.not(eb.exists(added)));
  };
  const buckets = ({ subject, interval, first }: Wanted) =>
    query
      .selectFrom('metric')
      .select(['start as at', 'counters'])
      .where('subject', '=', subject)
      .where('interval', '=', interval)
      .where('start', '>=', first);

  for (let scan = 0; scan < mostScans; scan++) {
    const ends = await endsOfWaiting(query);
    if (ends.last - ends.first <= factsPerScan) break;
    const before = await buckets(wanted).orderBy('start').execute();
    const waiting: Counted[] = [];
    for (let from = ends.first; from < ends.last; from += factsPerScan) {
      const page = facts(wanted).where('id', '>=', from);
      waiting.push(...(await page.where('id', '<', from + factsPerScan).execute()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const after = await buckets(wanted).orderBy('start').execute();
    if (isDeepStrictEqual(before, after)) return [...before, ...waiting];
  }
  // One statement: between two, a fold could make facts appear twice or not at all.
  return await buckets(wanted).unionAll(facts(wanted)).execute();
}
