import type { ColumnType } from 'kysely';

declare module '../../database/tables.ts' {
  interface Tables {
    network_radio: NetworkRadioTable;
  }
}

/** Of those inside this process; without a row nothing was set. */
interface NetworkRadioTable {
  network_server_id: number;
  settings: ColumnType<unknown, string, string>;
  updated_at: Date;
}
