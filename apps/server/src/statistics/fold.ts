import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';
import { addCounters, type Counters } from './counters.ts';
import { bucketStart, type Interval, intervalNames } from './interval.ts';

type Waiting = { ids: number[]; buckets: Map<string, { interval: Interval; start: number; counters: Counters }> };

const factsPerRound = 50_000;
// On SQLite nothing else is done meanwhile: pages and transactions of a few milliseconds, so that uplinks flow between.
const factsPerPage = 250;
const factsPerTransaction = 250;
const subjectsPerTransaction = 50;

type Key = { subject: string; interval: Interval; start: number };

const statements = perDatabase((database) => ({
  take: prepare<{ ids: number[] }>()(database, (query, $) => {
    const each =
      database.kind === 'sqlite'
        ? sql`select value from json_each(${$.ids})`
        : sql`select value::bigint from jsonb_array_elements_text(${$.ids}::jsonb)`;
    return query.deleteFrom('metric_fact').where(sql<boolean>`id in (${each})`);
  }),
  stored: prepare<Key>()(database, (query, $) =>
    query
      .selectFrom('metric')
      .select('counters')
      .where('subject', '=', $.subject)
      .where('interval', '=', $.interval)
      .where('start', '=', $.start),
  ),
  store: prepare<Key & { counters: string }>()(database, (query, $) =>
    query
      .insertInto('metric')
      .values({ subject: $.subject, interval: $.interval, start: $.start, counters: $.counters })
      .onConflict((on) => on.columns(['subject', 'interval', 'start']).doUpdateSet({ counters: $.counters })),
  ),
}));

/** Adds the recorded facts to their buckets, subject by subject, each fact exactly once whatever happens meanwhile. */
export async function foldFacts(database: Database): Promise<void> {
  const waiting = await collect(database);
  let batch: [subject: string, Waiting][] = [];
  let size = 0;
  for (const entry of waiting) {
    batch.push(entry);
    size += entry[1].ids.length;
    if (size < factsPerTransaction && batch.length < subjectsPerTransaction) continue;
    await foldBatch(database, batch);
    batch = [];
    size = 0;
  }
  if (size > 0) await foldBatch(database, batch);
}

async function collect(database: Database): Promise<Map<string, Waiting>> {
  const bySubject = new Map<string, Waiting>();
  let last = 0;
  for (let read = 0; read < factsPerRound; read += factsPerPage) {
    const page = await database.query
      .selectFrom('metric_fact')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(factsPerPage)
      .execute();
    for (const { id, subject, at, counters } of page) {
      const waiting: Waiting = bySubject.get(subject) ?? { ids: [], buckets: new Map() };
      bySubject.set(subject, waiting);
      waiting.ids.push(id);
      addToBuckets(waiting, at, JSON.parse(counters) as Counters);
    }
    if (page.length < factsPerPage) break;
    last = page.at(-1)!.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return bySubject;
}

function addToBuckets({ buckets }: Waiting, at: number, counters: Counters) {
  for (const interval of intervalNames) {
    const start = bucketStart(interval, at);
    const bucket = buckets.get(`${interval} ${start}`) ?? { interval, start, counters: {} };
    buckets.set(`${interval} ${start}`, bucket);
    addCounters(bucket.counters, counters);
  }
}

/** Takes the facts away and adds them to the buckets in one transaction; facts another instance took meanwhile undo it. */
async function foldBatch(database: Database, batch: [subject: string, Waiting][]): Promise<void> {
  const ids = batch.flatMap(([, waiting]) => waiting.ids);
  await database.commit({
    run: async () => {
      if ((await statements(database).take.run({ ids })) !== ids.length) return false;
      for (const [subject, { buckets }] of batch) {
        for (const bucket of buckets.values()) await addTo(database, subject, bucket);
      }
      return true;
    },
  });
}

async function addTo(
  database: Database,
  subject: string,
  { interval, start, counters }: { interval: Interval; start: number; counters: Counters },
): Promise<void> {
  const { stored, store } = statements(database);
  const key = { subject, interval, start };
  const known = await stored.first(key);
  const sum = known ? addCounters(JSON.parse(known.counters) as Counters, counters) : counters;
  await store.run({ ...key, counters: JSON.stringify(sum) });
}
