declare module '../database/tables.ts' {
  interface Tables {
    instance: InstanceTable;
    server_run: ServerRunTable;
  }
}

/** An instance that works or worked on this database. Its advisory lock shows whether it is live (`postgres.ts`). */
interface InstanceTable {
  id: string;
  /** The second half of the key of its advisory lock. */
  lock_number: number;
  name: string;
  version: string;
  started_at: Date;
  /** JSON: hashes of settings that must be equal at all instances. */
  agreement: string;
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

export {};
