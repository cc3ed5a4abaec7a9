import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    metric: MetricTable;
    metric_fact: MetricFactTable;
    metric_fold: MetricFoldTable;
    gateway_airtime: GatewayAirtimeTable;
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

/** What a gateway received and sent in one hour, in microseconds. */
interface GatewayAirtimeTable {
  gateway_id: string;
  /** Its start: milliseconds since 1970, a whole hour of UTC. */
  hour: number;
  own_us: number;
  foreign_us: number;
  unreadable_us: number;
  sent_us: number;
  /** The largest share of the limit of a sub-band that was sent; 0 without limits. */
  fullest: number;
  /** Packed by `airtime-hour.ts`. */
  details: Uint8Array;
}
