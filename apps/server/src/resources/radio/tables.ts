import type { ColumnType } from 'kysely';

declare module '../../database/tables.ts' {
  interface Tables {
    network_radio: NetworkRadioTable;
  }
}

/** Radio settings of embedded network servers; without a row the defaults apply. */
interface NetworkRadioTable {
  network_server_id: number;
  settings: ColumnType<unknown, string, string>;
  updated_at: Date;
}
