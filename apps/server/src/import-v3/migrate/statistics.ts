import { bucketStart, type Interval } from '../../statistics/interval.ts';
import type { TargetRow } from '../target/target-rows.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';

const what = 'statistics';
const dayMs = 86_400_000;
const daysKept = 31;
const subjectsAtOnce = 200;

/** The subject of statistics, by the name of version 3 and by ours. */
interface StatisticsSubject {
  nameInV3: string;
  subjectHere: string;
}

interface StatisticsBucket {
  interval: Interval;
  /** Milliseconds since 1970. */
  start: number;
}

/**
 * Sums by day of the last 31 days, and of this month and the one before. Days begin in the time zone of this process,
 * which must be the one of version 3 (`metrics.timezone`).
 */
export const importStatistics: ImportStep = async function* (pass) {
  const count = pass.report.count(what);
  const buckets = bucketsOf(pass.now.getTime());
  for (const subjects of inBatches(subjectsOf(pass))) {
    // Most devices have few or no statistics: one EXISTS for each saves a read for each of its days.
    const existing = await pass.redis.existing(subjects.map((one) => buckets.map((bucket) => keyOf(one, bucket))));
    const counted = subjects.filter((_, index) => existing[index]! > 0);
    const asked = counted.flatMap((subject) => buckets.map((bucket) => ({ subject, bucket })));
    const found = await pass.redis.hashes(asked.map(({ subject, bucket }) => keyOf(subject, bucket)));
    const wanted = asked.flatMap(({ subject, bucket }, index): TargetRow[] => {
      const counters = countersOf(found[index]!);
      if (counters === undefined) return [];
      count.inV3 += 1;
      const values = { subject: subject.subjectHere, ...bucket, counters: JSON.stringify(counters) };
      return [{ table: 'metric', values, nameInReport: subject.subjectHere }];
    });
    if (wanted.length > 0) yield wanted;
  }
};

function* subjectsOf({ imported }: ImportPass): Generator<StatisticsSubject> {
  for (const devEUI of imported.devices.keys())
    yield { nameInV3: `{device:${devEUI}}`, subjectHere: `device:${devEUI}` };
  for (const id of imported.gateways.keys()) yield { nameInV3: `{gw:${id}}`, subjectHere: `gateway:${id}` };
}

function* inBatches(subjects: Iterable<StatisticsSubject>): Generator<StatisticsSubject[]> {
  let batch: StatisticsSubject[] = [];
  for (const subject of subjects) {
    batch.push(subject);
    if (batch.length < subjectsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function bucketsOf(now: number): StatisticsBucket[] {
  const noons = Array.from({ length: daysKept }, (_, back) => bucketStart('DAY', now) + dayMs / 2 - back * dayMs);
  const month = bucketStart('MONTH', now);
  return [
    ...noons.map((noon): StatisticsBucket => ({ interval: 'DAY', start: bucketStart('DAY', noon) })),
    { interval: 'MONTH', start: month },
    { interval: 'MONTH', start: bucketStart('MONTH', month - dayMs) },
  ];
}

const keyOf = ({ nameInV3 }: StatisticsSubject, { interval, start }: StatisticsBucket) =>
  `lora:as:metrics:${nameInV3}:${interval}:${start / 1000}`;

/** Undefined when there are none. Values that are no numbers are left out. */
function countersOf(fields: Readonly<Record<string, string>>): Record<string, number> | undefined {
  const counters = Object.entries(fields)
    .map(([name, value]): [string, number] => [name, Number(value)])
    .filter(([, value]) => Number.isFinite(value))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return counters.length === 0 ? undefined : Object.fromEntries(counters);
}
