import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    service_profile: ServiceProfileTable;
  }
}

export interface ServiceProfileTable extends RowTimes {
  id: string;
  organization_id: number;
  network_server_id: number;
  name: string;
}
