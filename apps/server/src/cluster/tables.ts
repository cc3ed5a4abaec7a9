declare module '../database/tables.ts' {
  interface Tables {
    instance: InstanceTable;
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

export {};
