import type { Generated } from 'kysely';
import type { RowTimes } from '../database/tables.ts';

declare module '../database/tables.ts' {
  interface Tables {
    integration: IntegrationTable;
  }
}

export interface IntegrationTable extends RowTimes {
  id: Generated<number>;
  /** Null for those of the whole installation. */
  application_id: number | null;
  kind: string;
  /** Its message in the contract, with nothing where a secret is. */
  config: Record<string, unknown>;
  /** JSON of the secrets by where they stand in `config`, sealed. */
  secrets: Uint8Array;
  /** Grows with each change. */
  revision: Generated<number>;
}
