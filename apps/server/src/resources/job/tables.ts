import type { JobOutcomeName, JobStateName } from '@hilltop/contract';
import type { Generated } from 'kysely';

declare module '../../database/tables.ts' {
  interface Tables {
    job: JobTable;
    job_row: JobRowTable;
  }
}

/** Times are milliseconds since 1970. */
export interface JobTable {
  id: string;
  /** Null for jobs of the whole installation. */
  organization_id: number | null;
  kind: string;
  /** JSON of what the kind needs. */
  parameters: string;
  /** The name of what the job sets, for users. */
  target: string;
  undo_of: string | null;
  request_id: string | null;
  /** Whose rights decide: `user` or `apiKey`, and its id. */
  caller_kind: string;
  caller_id: string;
  /** The name of the caller, for users. */
  created_by: string;
  state: JobStateName;
  problem: Generated<string>;
  /** The epoch of the runner that has claimed it: no other writes its rows. */
  epoch: Generated<number>;
  /** All its rows are inserted. */
  is_prepared: Generated<boolean>;
  total: Generated<number>;
  done: Generated<number>;
  refused: Generated<number>;
  failed: Generated<number>;
  /** The rows still have what they changed. */
  has_before: Generated<boolean>;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

interface JobRowTable {
  job_id: string;
  position: number;
  subject: string;
  name: string;
  /** What the kind needs to run the row besides the subject. */
  input: Generated<string>;
  /** Empty until the row is run. */
  outcome: Generated<'' | Exclude<JobOutcomeName, 'WAITING'>>;
  reason: Generated<string>;
  message: Generated<string>;
  /** JSON; null when nothing can be put back. */
  before: string | null;
  after: string | null;
}
