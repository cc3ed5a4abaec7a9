import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    metric: MetricTable;
    metric_fact: MetricFactTable;
    metric_fold: MetricFoldTable;
  }
}

/** Counters of one device or gateway (`subject`) over one period. */
interface MetricTable {
  subject: string;
  interval: string;
  /** Milliseconds since 1970. */
  start: number;
  /** JSON: counter name to value. */
  counters: string;
}

/** A count that is not yet added to `metric`: appended with each event, folded into `metric` by the hundred. */
interface MetricFactTable {
  id: Generated<number>;
  subject: string;
  at: number;
  counters: string;
}

/** One row, the progress of a fold: facts up to number `upto` are added for subjects up to `subject`, no others. */
interface MetricFoldTable {
  id: number;
  upto: number;
  subject: string;
}
