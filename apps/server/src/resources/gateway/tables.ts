import type { RowTimes } from '../../database/tables.ts';

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
  /** Lower-case text that `search` looks through. */
  search_text: string;
}
