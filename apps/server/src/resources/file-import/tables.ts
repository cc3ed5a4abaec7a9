declare module '../../database/tables.ts' {
  interface Tables {
    file_import: FileImportTable;
    file_import_row: FileImportRowTable;
  }
}

export interface FileImportTable {
  id: string;
  organization_id: number;
  /** `DEVICES` or `GATEWAYS`. */
  kind: string;
  /** Who sent the file: `user 3`. */
  person: string;
  created_at: Date;
  expires_at: Date;
  /** Empty before the file was sent. */
  file_name: string;
  row_count: number;
  /** JSON of an `ImportPlan`. */
  plan: string;
  /** JSON of an `ImportCounts`; null until the rows were checked. */
  counts: string | null;
  /** Null until the import was started. */
  job_id: string | null;
}

/** A row that has not been imported. */
interface FileImportRowTable {
  import_id: string;
  /** Its number in the file. */
  number: number;
  /** A JSON list, sealed: it may have keys. */
  cells: Uint8Array;
  /** What the check found: null for a row that can be imported. */
  outcome: 'PROBLEM' | 'SKIP' | null;
  /** JSON of a list of `RowProblem`; null without any. */
  problems: string | null;
}
