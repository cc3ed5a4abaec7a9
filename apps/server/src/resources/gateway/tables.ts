import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    gateway: GatewayTable;
    gateway_outage: GatewayOutageTable;
  }
}

export interface GatewayTable extends RowTimes {
  id: string;
  organization_id: number;
  network_server_id: number;
  gateway_profile_id: string | null;
  service_profile_id: string | null;
  name: string;
  description: string;
  discovery_enabled: boolean;
  latitude: number;
  longitude: number;
  altitude: number;
  location_source: string;
  location_accuracy: number;
  tags: Record<string, string>;
  /** The metadata of the last statistics of the gateway. */
  metadata: Record<string, string>;
  first_seen_at: Date | null;
  last_seen_at: Date | null;
  /** The last sign of life of any kind; it is written some seconds later. Null: not since this was stored. */
  heard_at: Date | null;
  /** The link of the last sign of life. */
  heard_link: GatewaySignSource | null;
  /** Why that link ended, in words; null while it is not known to have ended. */
  link_end: string | null;
  /** Lower-case text that `search` looks through. */
  search_text: string;
}

/** The links of embedded network servers, and the statistics that a remote network server reports. */
export type GatewaySignSource = 'semtech-udp' | 'basics-station' | 'mqtt' | 'remote';

/** A time in which nothing was heard of a gateway. At most one of a gateway is open. Kept for 400 days. */
export interface GatewayOutageTable {
  gateway_id: string;
  started_at: Date;
  /** Null while the outage lasts. */
  ended_at: Date | null;
  /** In words, such as `no PULL_DATA for 90 s`. */
  reason: string;
}
