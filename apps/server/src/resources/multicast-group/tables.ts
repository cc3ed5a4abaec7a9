import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    multicast_group: MulticastGroupTable;
    multicast_group_device: MulticastGroupDeviceTable;
  }
}

/** The part of a group that the application server stores; the network server stores the rest. */
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
