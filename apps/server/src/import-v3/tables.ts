declare module '../database/tables.ts' {
  interface Tables {
    import_v3: ImportV3Table;
  }
}

/** The state of an import from version 3: one row, from its beginning on. */
interface ImportV3Table {
  id: number;
  /** The id of the imported installation; another one is refused. */
  application_server_id: string;
  /** The key with which version 3 signed its tokens; sealed. */
  token_key: Uint8Array;
  /** The current phase, or the last one. */
  phase: string;
  started_at: Date;
  /** When everything was last written and verified. */
  copied_at: Date | null;
  /** When the import was finished. It writes nothing afterwards. */
  finished_at: Date | null;
}

export {};
