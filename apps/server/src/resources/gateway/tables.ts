import type { RowTimes } from '../../database/tables.ts';
import type { GatewaySignSource } from '../../gateway-outages/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    gateway: GatewayTable;
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
  /** Since when its outages are stored; null: nothing was heard yet. */
  outages_from: Date | null;
  /** Lower-case text that `search` looks through. */
  search_text: string;
}
