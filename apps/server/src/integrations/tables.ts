import type { Generated } from 'kysely';
import type { RowTimes } from '../database/tables.ts';

declare module '../database/tables.ts' {
  interface Tables {
    integration: IntegrationTable;
  }
}

export interface IntegrationTable extends RowTimes {
  id: Generated<number>;
  /** Null for an integration of an organization, and for a global one. */
  application_id: number | null;
  /** Only of an integration of an organization, which gets the events of its gateways. */
  organization_id: Generated<number | null>;
  kind: string;
  /** The configuration as a message of the contract, without secrets. */
  config: Record<string, unknown>;
  /** Sealed JSON of the secrets by their key in `config`. */
  secrets: Uint8Array;
  /** Incremented with each change. */
  revision: Generated<number>;
}
