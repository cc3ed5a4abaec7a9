import type { Generated, Selectable } from 'kysely';

/**
 * Every table of the database. The ones declared here belong to the database itself; each other table is declared in
 * the `tables.ts` of the folder that owns it. Only a resource's `store.ts` converts rows to resources and back.
 */
export interface Tables {
  key_check: KeyCheckTable;
  installation: InstallationTable;
  retention: RetentionTable;
  server_run: ServerRunTable;
  organization_search: SearchTable;
  application_search: SearchTable;
  gateway_search: SearchTable;
  device_search: SearchTable;
}

/** Some columns of a row. */
export type RowOf<Table extends keyof Tables, Column extends keyof Selectable<Tables[Table]>> = Pick<
  Selectable<Tables[Table]>,
  Column
>;

export interface RowTimes {
  created_at: Date;
  updated_at: Date;
}

/** One row: a known text sealed with the encryption key of this database. */
interface KeyCheckTable {
  id: number;
  sealed: Uint8Array;
  /** HMAC made with the key that signs tokens: it reveals a changed key. */
  token_mark: string | null;
}

/** One row, inserted with the table. */
interface InstallationTable {
  /** A UUID. */
  application_server_id: string;
  /** The oldest version that can work with this schema. */
  schema_compatible_from: Generated<string>;
  /** The greatest epoch of runners of jobs. */
  job_epoch: Generated<number>;
}

/** One row: the steady time, by which old rows are removed. */
interface RetentionTable {
  id: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** Full-text index of a table, on SQLite only; triggers update it. `key` is the primary key of the indexed row. */
interface SearchTable {
  rowid: Generated<number>;
  key: number | string;
}

/** From when to when an instance ran. Times are milliseconds since 1970. */
interface ServerRunTable {
  /** A UUID. */
  id: string;
  /** The id of the instance; all single processes have the same. */
  instance: string;
  started_at: number;
  /** Written every few seconds, and at the end. */
  seen_at: number;
}
