import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    multicast_group: MulticastGroupTable;
    multicast_group_device: MulticastGroupDeviceTable;
  }
}

/** What the application side keeps of a group; the rest is at its network server. */
export interface MulticastGroupTable extends RowTimes {
  id: string;
  application_id: number;
  name: string;
  /** Sealed. */
  mc_app_s_key: Uint8Array;
}

interface MulticastGroupDeviceTable {
  multicast_group_id: string;
  dev_eui: string;
}
