import type { DownlinkState } from '@hilltop/contract';
import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    last_error: LastErrorTable;
    downlink: DownlinkTable;
  }
}

/** The last error of each kind of a device, and the number of errors of its kind. */
interface LastErrorTable {
  dev_eui: string;
  /** The number of `integration.ErrorType`. */
  kind: number;
  at: number;
  seq: number;
  payload: string;
  count: number;
  /** The times of the two errors of the kind before the last one. */
  second_at: Generated<number | null>;
  third_at: Generated<number | null>;
}

interface DownlinkTable {
  /** Hexadecimal: 48 bits of its time in milliseconds since 1970, then random ones. Embedded network servers use it too. */
  id: string;
  dev_eui: string;
  created_at: number;
  f_port: number;
  confirmed: boolean;
  /** Sealed. */
  data: Uint8Array;
  origin: string;
  reference: string;
  state: DownlinkState;
  reason: Generated<string>;
  /** Whether more can happen to it. */
  is_open: Generated<boolean>;
  f_cnt: number;
  attempts: Generated<number>;
  expires_at: number | null;
  /** One line of JSON for each step. */
  steps: string;
  step_count: Generated<number>;
  last_step: Generated<string>;
}
