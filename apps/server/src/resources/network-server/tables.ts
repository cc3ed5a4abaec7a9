import type { Generated } from 'kysely';
import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    network_server: NetworkServerTable;
    registered_region: RegisteredRegionTable;
  }
}

export interface NetworkServerTable extends RowTimes {
  id: Generated<number>;
  name: string;
  /** `host:port`, or `embedded:<region>` for the ones inside this process. */
  server: string;
  ca_cert: string;
  tls_cert: string;
  /** Sealed by `secrets.ts`; empty when there is none. */
  tls_key: Uint8Array;
  routing_profile_ca_cert: string;
  routing_profile_tls_cert: string;
  routing_profile_tls_key: Uint8Array;
  gateway_discovery_enabled: boolean;
  gateway_discovery_interval: number;
  gateway_discovery_tx_frequency: number;
  gateway_discovery_dr: number;
}

/** Entries of HILLTOP_REGION that have become a network server, which may have been deleted since. */
interface RegisteredRegionTable {
  entry: string;
}
