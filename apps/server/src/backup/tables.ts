declare module '../database/tables.ts' {
  interface Tables {
    backup: BackupRunTable;
  }
}

/** A scheduled backup. Times are milliseconds since 1970. */
export interface BackupRunTable {
  /** The name of its file. */
  file: string;
  /** The name of the instance that wrote it. */
  instance: string;
  started_at: number;
  /** Null while it is being written. */
  ended_at: number | null;
  /** 0 when it failed. */
  bytes: number;
  /** Why it failed; empty otherwise. */
  problem: string;
}
