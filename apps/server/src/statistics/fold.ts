import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';
import { addCounters, type Counters } from './counters.ts';
import { bucketStart, type Interval, intervalNames } from './interval.ts';

type Key = [subject: string, interval: Interval, start: number];
/** The facts of one subject, added up by "subject interval start". */
type Waiting = { ids: number[]; buckets: Map<string, { key: Key; counters: Counters }> };

const factsPerRound = 50_000;
// On SQLite nothing else is done meanwhile: pages and transactions of a few milliseconds, so that uplinks flow between.
const factsPerPage = 250;
const factsPerTransaction = 250;
const subjectsPerTransaction = 50;
/** Who is behind takes larger steps: fewer trips to the disk for the same rows. */
const largerWhenBehind = 4;

const statements = perDatabase((database) => {
  const isSQLite = database.kind === 'sqlite';
  /** A list in a parameter as a table `k` with one row for each of its elements. */
  const each = (list: unknown) =>
    (isSQLite ? sql`json_each(${list})` : sql`jsonb_array_elements(${list}::jsonb)`).as('k');
  const text = (place: number) => sql<string>`(k.value ->> ${sql.lit(place)})`;
  const number = (place: number) => sql<number>`cast(k.value ->> ${sql.lit(place)} as bigint)`;
  return {
    take: prepare<{ ids: number[] }>()(database, (query, $) => {
      const ids = isSQLite
        ? sql`select value from json_each(${$.ids})`
        : sql`select value::bigint from jsonb_array_elements_text(${$.ids}::jsonb)`;
      return query.deleteFrom('metric_fact').where(sql<boolean>`id in (${ids})`);
    }),
    stored: prepare<{ keys: Key[] }>()(database, (query, $) =>
      query
        .selectFrom(each($.keys))
        // Keeps SQLite from beginning with the larger table.
        .crossJoin('metric')
        .select(['metric.subject', 'metric.interval', 'metric.start', 'metric.counters'])
        .where('metric.subject', '=', text(0))
        .where('metric.interval', '=', text(1))
        .where('metric.start', '=', number(2)),
    ),
    store: prepare<{ rows: [...Key, counters: string][] }>()(database, (query, $) =>
      query
        .insertInto('metric')
        .columns(['subject', 'interval', 'start', 'counters'])
        .expression((from) =>
          from
            .selectFrom(each($.rows))
            .select([text(0).as('subject'), text(1).as('interval'), number(2).as('start'), text(3).as('counters')])
            // Without it SQLite takes "on conflict" for a join.
            .where(sql<boolean>`true`),
        )
        .onConflict((on) =>
          on
            .columns(['subject', 'interval', 'start'])
            .doUpdateSet((row) => ({ counters: row.ref('excluded.counters') })),
        ),
    ),
  };
});

/**
 * Adds the recorded facts to their buckets, subject by subject, each fact exactly once whatever happens meanwhile.
 * Answers whether more facts wait than one round takes.
 */
export async function foldFacts(database: Database): Promise<boolean> {
  const { bySubject, read } = await collect(database);
  const isMore = read >= factsPerRound;
  const larger = isMore ? largerWhenBehind : 1;
  let batch: Waiting[] = [];
  let size = 0;
  for (const waiting of bySubject.values()) {
    batch.push(waiting);
    size += waiting.ids.length;
    if (size < factsPerTransaction * larger && batch.length < subjectsPerTransaction * larger) continue;
    await foldBatch(database, batch);
    batch = [];
    size = 0;
  }
  if (size > 0) await foldBatch(database, batch);
  return isMore;
}

async function collect(database: Database): Promise<{ bySubject: Map<string, Waiting>; read: number }> {
  const bySubject = new Map<string, Waiting>();
  let last = 0;
  let read = 0;
  while (read < factsPerRound) {
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
      addToBuckets(waiting, subject, at, JSON.parse(counters) as Counters);
    }
    read += page.length;
    if (page.length < factsPerPage) break;
    last = page.at(-1)!.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { bySubject, read };
}

function addToBuckets({ buckets }: Waiting, subject: string, at: number, counters: Counters) {
  for (const interval of intervalNames) {
    const key: Key = [subject, interval, bucketStart(interval, at)];
    const bucket = buckets.get(key.join(' ')) ?? { key, counters: {} };
    buckets.set(key.join(' '), bucket);
    addCounters(bucket.counters, counters);
  }
}

/** Takes the facts away and adds them to the buckets in one transaction; facts another instance took meanwhile undo it. */
async function foldBatch(database: Database, batch: Waiting[]): Promise<void> {
  const { take, stored, store } = statements(database);
  const ids = batch.flatMap((waiting) => waiting.ids);
  const buckets = batch.flatMap((waiting) => [...waiting.buckets]);
  const keys = buckets.map(([, { key }]) => key);
  await database.commit({
    run: async () => {
      if ((await take.run({ ids })) !== ids.length) return false;
      const known = new Map<string, string>();
      for (const { subject, interval, start, counters } of await stored.all({ keys }))
        known.set(`${subject} ${interval} ${start}`, counters);
      const rows = buckets.map(([name, { key, counters }]): [...Key, string] => {
        const sum = known.get(name);
        const added = sum === undefined ? counters : addCounters(JSON.parse(sum) as Counters, counters);
        return [...key, JSON.stringify(added)];
      });
      await store.run({ rows });
      return true;
    },
  });
}
