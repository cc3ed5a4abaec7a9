import type { ConditionName, ConditionSubject } from '@hilltop/contract';
import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    condition: ConditionTable;
    condition_evaluation: ConditionEvaluationTable;
  }
}

/** A condition that is true now. The row is removed when it ends. Times are milliseconds since 1970. */
export interface ConditionTable {
  /** A UUID. */
  id: string;
  condition: ConditionName;
  subject_kind: ConditionSubject;
  subject_id: string;
  /** 0: of the installation, for global administrators. */
  organization_id: number;
  /** Null where the subject belongs to none. */
  application_id: number | null;
  /** When that began which it is about: the last uplink of a silent device, the start of an outage. */
  since: number;
  /** JSON of a `ConditionDetail`. */
  detail: Generated<string>;
  /** Lists are in ascending order: the worst has the lowest. */
  rank: Generated<number>;
  snoozed_until: number | null;
}

/** One row: the last evaluation. */
interface ConditionEvaluationTable {
  id: number;
  at: number;
  /** JSON: how many subjects of a condition are not stored, by condition and organization. */
  omitted: Generated<string>;
}

/** What an open condition says besides its name. */
export interface ConditionDetail {
  /** The number that counts, as its condition declares it. */
  readonly value?: number;
  /** A reason, in words. */
  readonly text?: string;
}
