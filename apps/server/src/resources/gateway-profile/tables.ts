import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    gateway_profile: GatewayProfileTable;
  }
}

export interface GatewayProfileTable extends RowTimes {
  id: string;
  network_server_id: number;
  name: string;
  stats_interval_ms: number;
}
