import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Form } from '../database/statement-text.ts';
import type { RowOf } from '../database/tables.ts';
import { addCounters, type Counters } from './counters.ts';
import { claimsOf, type FoldProgress, type SubjectFacts } from './fact-claims.ts';
import { bucketStart, type Interval, intervalNames } from './interval.ts';
import { type DeviceDay, storeLosses } from './losses.ts';
import { type Owner, totalIntervals, totalSubjects, totalsOf } from './totals.ts';

type Key = [subject: string, interval: Interval, start: number];
/** Waiting facts of one subject, and their sums by minute. */
type Waiting = SubjectFacts & { minutes: Map<number, Counters> };
type Round = { bySubject: Map<string, Waiting>; done: FoldProgress; isMore: boolean };

interface Pace {
  /** How many facts are held in memory at once. */
  factsPerRound: number;
  /** Called between pieces of work. */
  pause: () => Promise<void>;
}

// SQLite blocks the process: pages and transactions take only a few milliseconds, so that uplinks are processed in
// between.
const factsPerPage = 250;
const subjectsPerTransaction = 50;
/** Where facts are removed by their numbers. */
const factsPerTransaction = 500;
/** Larger transactions when many facts wait need fewer disk flushes for the same rows. */
const largerWhenBehind = 2;
/** Sums held in memory at once, about 50 MB. */
const mostSums = 100_000;

const pageOfFacts = statement<RowOf<'metric_fact', 'id' | 'subject' | 'at' | 'counters'>>()({
  sql: `select id, subject, at, counters from metric_fact where id > $last order by id limit ${factsPerPage}`,
  given: { last: 'int8' },
});

/** A list in a parameter as a table `k`, which has one row for each of its elements. */
const each = ({ kind }: Form, list: string) =>
  kind === 'sqlite' ? `json_each(${list}) as k` : `jsonb_array_elements(${list}::jsonb) as k`;

/** Each element of `keys` is a `Key`. */
const storedBuckets = statement<RowOf<'metric', 'subject' | 'interval' | 'start' | 'counters'>>()({
  // The cross join keeps SQLite, and `offset 0` PostgreSQL, from reading all of the larger table.
  sql: (form) => {
    const isOfKey = `metric.subject = (k.value ->> 0) and metric.interval = (k.value ->> 1)
      and metric.start = cast(k.value ->> 2 as bigint)`;
    const columns = 'metric.subject, metric.interval, metric.start, metric.counters';
    return form.kind === 'sqlite'
      ? `select ${columns} from ${each(form, '$keys')} cross join metric where ${isOfKey}`
      : `select found.* from ${each(form, '$keys')}
          cross join lateral (select ${columns} from metric where ${isOfKey} offset 0) as found`;
  },
  given: { keys: 'json' },
});

/** Each element of `rows` is a `Key` and the counters. */
const storeBuckets = statement()({
  // Without a condition SQLite takes "on conflict" for a join.
  sql: (form) => `insert into metric (subject, interval, start, counters)
    select (k.value ->> 0), (k.value ->> 1), cast(k.value ->> 2 as bigint), (k.value ->> 3)
    from ${each(form, '$rows')} where true
    on conflict (subject, interval, start) do update set counters = excluded.counters`,
  given: { rows: 'json' },
});

/** Each element of `devEUIs` is a list with one DevEUI. */
const ownersOfDevices = statement<
  RowOf<'device', 'dev_eui' | 'application_id' | 'loss'> & RowOf<'application', 'organization_id'>
>()({
  // The cross join keeps SQLite from beginning with the larger table.
  sql: (form) => `select device.dev_eui, device.application_id, device.loss, application.organization_id
    from ${each(form, '$devEUIs')} cross join device
    inner join application on application.id = device.application_id
    where device.dev_eui = (k.value ->> 0)`,
  given: { devEUIs: 'json' },
});

/**
 * Adds the recorded facts to their buckets, each fact exactly once even if it is interrupted. It proceeds in the order
 * of subjects, whose buckets are adjacent; all facts of a subject change its buckets together. Answers whether more
 * facts wait than one round adds.
 */
export async function foldFacts(database: Database, pace: Pace): Promise<boolean> {
  const claims = claimsOf(database);
  const { bySubject, isMore, done: before } = await collect(database, pace);
  let done = before;
  for (const batch of inBatches(bySubject, claims.isByNumber, isMore ? largerWhenBehind : 1)) {
    const isCounted = await foldBatch(database, batch, done);
    // Another instance adds these facts: the others are added by the next round.
    if (!isCounted && !claims.isByNumber) return false;
    done = { ...done, subject: batch.at(-1)![0] };
    await pace.pause();
  }
  if (done.upto > 0) await claims.end(done.upto, pace.pause);
  return isMore;
}

function* inBatches(bySubject: ReadonlyMap<string, Waiting>, isByNumber: boolean, larger: number) {
  let batch: [subject: string, waiting: Waiting][] = [];
  let facts = 0;
  for (const subject of [...bySubject.keys()].sort()) {
    const waiting = bySubject.get(subject)!;
    batch.push([subject, waiting]);
    if (isByNumber) facts += waiting.ids.length;
    if (facts < factsPerTransaction * larger && batch.length < subjectsPerTransaction * larger) continue;
    yield batch;
    batch = [];
    facts = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The next facts, or those of an interrupted round. */
async function collect(database: Database, { factsPerRound, pause }: Pace): Promise<Round> {
  const claims = claimsOf(database);
  const interrupted = await claims.interrupted();
  const bySubject = new Map<string, Waiting>();
  let [last, read, sums] = [0, 0, 0];
  while (interrupted || (read < factsPerRound && sums < mostSums)) {
    const page = await pageOfFacts(database).all({ last });
    for (const { id, subject, at, counters } of page) {
      if (interrupted && (id > interrupted.upto || subject <= interrupted.subject)) continue;
      let waiting = bySubject.get(subject);
      if (!waiting) bySubject.set(subject, (waiting = { ids: [], minutes: new Map() }));
      if (claims.isByNumber || waiting.ids.length === 0) waiting.ids.push(id);
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
    last = page.at(-1)?.id ?? last;
    if (interrupted && (last >= interrupted.upto || page.length < factsPerPage))
      return { bySubject, done: interrupted, isMore: true };
    if (page.length < factsPerPage) return { bySubject, done: { upto: last, subject: '' }, isMore: false };
    await pause();
  }
  return { bySubject, done: { upto: last, subject: '' }, isMore: true };
}

/** The minutes added up by "subject interval start", and the same for applications and organizations. */
function bucketsOf(
  batch: readonly (readonly [subject: string, waiting: Waiting])[],
  owners: ReadonlyMap<string, Owner>,
) {
  const buckets = new Map<string, { key: Key; counters: Counters }>();
  const add = (subject: string, interval: Interval, minute: number, counted: Counters) => {
    const key: Key = [subject, interval, bucketStart(interval, minute)];
    const name = key.join(' ');
    const bucket = buckets.get(name);
    if (bucket) addCounters(bucket.counters, counted);
    else buckets.set(name, { key, counters: { ...counted } });
  };
  for (const [subject, { minutes }] of batch) {
    const owner = owners.get(subject);
    for (const [minute, counted] of minutes) {
      for (const interval of intervalNames) add(subject, interval, minute, counted);
      const totals = owner && totalsOf(counted);
      if (!totals) continue;
      for (const total of totalSubjects(owner))
        for (const interval of totalIntervals) add(total, interval, minute, totals);
    }
  }
  return buckets;
}

const devicePrefix = 'device:';

/** The owners of a device, and its stored loss. */
type CountedDevice = Owner & { loss: number | null };

/** The application and organization of each subject that is a device. */
async function ownersOf(
  database: Database,
  batch: readonly (readonly [subject: string, waiting: Waiting])[],
): Promise<ReadonlyMap<string, CountedDevice>> {
  const devEUIs = batch.flatMap(([subject]) =>
    subject.startsWith(devicePrefix) ? [[subject.slice(devicePrefix.length)] as [string]] : [],
  );
  if (devEUIs.length === 0) return new Map();
  const rows = await ownersOfDevices(database).all({ devEUIs });
  return new Map(
    rows.map((row) => [
      `${devicePrefix}${row.dev_eui}`,
      { applicationID: row.application_id, organizationID: row.organization_id, loss: row.loss },
    ]),
  );
}

/** Adds the facts to the buckets and removes or marks them, in one transaction. */
async function foldBatch(
  database: Database,
  batch: readonly [subject: string, waiting: Waiting][],
  done: FoldProgress,
): Promise<boolean> {
  let days: DeviceDay[] = [];
  const isCounted = await database.commitSeparately({
    run: async () => {
      const claimed = await claimsOf(database).claim(batch, done);
      if (!claimed) return false;
      const owners = await ownersOf(database, claimed);
      const buckets = bucketsOf(claimed, owners);
      const keys = [...buckets.values()].map(({ key }) => key);
      const known = new Map<string, string>();
      for (const { subject, interval, start, counters } of await storedBuckets(database).all({ keys }))
        known.set(`${subject} ${interval} ${start}`, counters);
      const rows = [...buckets].map(([name, { key, counters }]): [...Key, string] => {
        const sum = known.get(name);
        const added = sum === undefined ? counters : addCounters(JSON.parse(sum) as Counters, counters);
        return [...key, JSON.stringify(added)];
      });
      await storeBuckets(database).run({ rows });
      days = lastDaysOf(rows, owners);
      return true;
    },
  });
  // In a transaction of its own: this one would hold rows of devices that uplinks wait for.
  if (isCounted) await storeLosses(database, days);
  return isCounted;
}

/** The last of the changed days of each device. */
function lastDaysOf(
  rows: readonly (readonly [...Key, counters: string])[],
  owners: ReadonlyMap<string, CountedDevice>,
): DeviceDay[] {
  const days = new Map<string, DeviceDay>();
  for (const [subject, interval, start, counters] of rows) {
    const device = owners.get(subject);
    if (interval !== 'DAY' || !device || (days.get(subject)?.start ?? 0) > start) continue;
    const devEUI = subject.slice(devicePrefix.length);
    days.set(subject, { devEUI, start, counters: JSON.parse(counters) as Counters, loss: device.loss });
  }
  return [...days.values()];
}
