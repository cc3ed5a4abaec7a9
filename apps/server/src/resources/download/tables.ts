declare module '../../database/tables.ts' {
  interface Tables {
    download: DownloadTable;
  }
}

/** A link to a file that nobody has fetched yet. */
interface DownloadTable {
  token_hash: string;
  /** `user 3`, in all sessions of the user. */
  person: string;
  /** JSON of a `CallerReference`. */
  caller: string;
  kind: string;
  /** JSON of the request of the operation of that kind. */
  request: string;
  format: string;
  expires_at: Date;
}

export {};
