declare module '../database/tables.ts' {
  interface Tables {
    import_v3: ImportV3Table;
  }
}

/** One row, from the start of a move from version 3 on. */
interface ImportV3Table {
  id: number;
  /** Of the installation that is imported: another one is refused. */
  application_server_id: string;
  /** The key with which version 3 signed its tokens; sealed. */
  token_key: Uint8Array;
  /** The current phase, or the last one. */
  phase: string;
  started_at: Date;
  /** When everything was last written and verified. */
  copied_at: Date | null;
  /** From then on the import writes nothing. */
  finished_at: Date | null;
}

export {};
