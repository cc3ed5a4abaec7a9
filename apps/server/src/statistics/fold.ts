import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';
import { addCounters, type Counters } from './counters.ts';
import { bucketStart, type Interval, intervalNames } from './interval.ts';

type Key = [subject: string, interval: Interval, start: number];
/** What waits of one subject: its facts, and the sums of the minutes they fall into. */
type Waiting = { ids: number[]; minutes: Map<number, Counters> };

// On SQLite nothing else is done meanwhile: pages and transactions of a few milliseconds, so that uplinks flow between.
const factsPerPage = 250;
const factsPerTransaction = 500;
const subjectsPerTransaction = 50;
/** Who is behind takes larger steps: fewer trips to the disk for the same rows. */
const largerWhenBehind = 2;
/** Sums held in memory at once, about 50 MB. */
const mostSums = 100_000;

const statements = perDatabase((database) => {
  const isSQLite = database.kind === 'sqlite';
  /** A list in a parameter as a table `k` with one row for each of its elements. */
  const each = (list: unknown) =>
    (isSQLite ? sql`json_each(${list})` : sql`jsonb_array_elements(${list}::jsonb)`).as('k');
  const text = (place: number) => sql<string>`(k.value ->> ${sql.lit(place)})`;
  const number = (place: number) => sql<number>`cast(k.value ->> ${sql.lit(place)} as bigint)`;
  return {
    page: prepare<{ last: number }>()(database, (query, $) =>
      query
        .selectFrom('metric_fact')
        .select(['id', 'subject', 'at', 'counters'])
        .where('id', '>', $.last)
        .orderBy('id')
        .limit(sql.lit(factsPerPage)),
    ),
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
 * Adds the recorded facts to their buckets, each fact exactly once whatever happens meanwhile. In the order of subjects,
 * because their buckets lie together then; and the more wait, the more are of one subject and change its buckets once.
 * Answers whether more facts wait than one round takes.
 */
export async function foldFacts(database: Database, factsPerRound: number): Promise<boolean> {
  const { bySubject, isMore } = await collect(database, factsPerRound);
  const larger = isMore ? largerWhenBehind : 1;
  let batch: [subject: string, waiting: Waiting][] = [];
  let facts = 0;
  for (const subject of [...bySubject.keys()].sort()) {
    const waiting = bySubject.get(subject)!;
    batch.push([subject, waiting]);
    facts += waiting.ids.length;
    if (facts < factsPerTransaction * larger && batch.length < subjectsPerTransaction * larger) continue;
    await foldBatch(database, batch);
    batch = [];
    facts = 0;
  }
  if (batch.length > 0) await foldBatch(database, batch);
  return isMore;
}

async function collect(
  database: Database,
  factsPerRound: number,
): Promise<{ bySubject: Map<string, Waiting>; isMore: boolean }> {
  const bySubject = new Map<string, Waiting>();
  let [last, read, sums] = [0, 0, 0];
  while (read < factsPerRound && sums < mostSums) {
    const page = await statements(database).page.all({ last });
    for (const { id, subject, at, counters } of page) {
      let waiting = bySubject.get(subject);
      if (!waiting) bySubject.set(subject, (waiting = { ids: [], minutes: new Map() }));
      waiting.ids.push(id);
      const minute = bucketStart('MINUTE', at);
      const counted = JSON.parse(counters) as Counters;
      const sum = waiting.minutes.get(minute);
      if (sum) addCounters(sum, counted);
      else {
        waiting.minutes.set(minute, counted);
        sums += 1;
      }
    }
    read += page.length;
    if (page.length < factsPerPage) return { bySubject, isMore: false };
    last = page.at(-1)!.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { bySubject, isMore: true };
}

/** The minutes added up by "subject interval start". */
function bucketsOf(batch: readonly [subject: string, waiting: Waiting][]) {
  const buckets = new Map<string, { key: Key; counters: Counters }>();
  for (const [subject, { minutes }] of batch) {
    for (const [minute, counted] of minutes) {
      for (const interval of intervalNames) {
        const key: Key = [subject, interval, bucketStart(interval, minute)];
        const name = key.join(' ');
        const bucket = buckets.get(name);
        if (bucket) addCounters(bucket.counters, counted);
        else buckets.set(name, { key, counters: { ...counted } });
      }
    }
  }
  return buckets;
}

/** Takes the facts away and adds them to the buckets in one transaction; facts another instance took meanwhile undo it. */
async function foldBatch(database: Database, batch: readonly [subject: string, waiting: Waiting][]): Promise<void> {
  const { take, stored, store } = statements(database);
  const ids = batch.flatMap(([, waiting]) => waiting.ids);
  const buckets = bucketsOf(batch);
  const keys = [...buckets.values()].map(({ key }) => key);
  await database.commitApart({
    run: async () => {
      if ((await take.run({ ids })) !== ids.length) return false;
      const known = new Map<string, string>();
      for (const { subject, interval, start, counters } of await stored.all({ keys }))
        known.set(`${subject} ${interval} ${start}`, counters);
      const rows = [...buckets].map(([name, { key, counters }]): [...Key, string] => {
        const sum = known.get(name);
        const added = sum === undefined ? counters : addCounters(JSON.parse(sum) as Counters, counters);
        return [...key, JSON.stringify(added)];
      });
      await store.run({ rows });
      return true;
    },
  });
}
