declare module '../database/tables.ts' {
  interface Tables {
    last_error: LastErrorTable;
  }
}

/** The last error of each kind of a device, and how often errors of its kind have come. */
interface LastErrorTable {
  dev_eui: string;
  /** The number of `integration.ErrorType`. */
  kind: number;
  at: number;
  seq: number;
  payload: string;
  count: number;
}

export {};
