import type { LinkKind } from '@hilltop/network-server';

declare module '../database/tables.ts' {
  interface Tables {
    gateway_outage: GatewayOutageTable;
  }
}

/** The links of embedded network servers, and the statistics that a remote network server reports. */
export type GatewaySignSource = Exclude<LinkKind, 'relay'> | 'remote';

/** A time in which nothing was heard of a gateway. At most one of a gateway is open. Kept for 400 days. */
export interface GatewayOutageTable {
  gateway_id: string;
  started_at: Date;
  /** Null while the outage lasts. */
  ended_at: Date | null;
  /** In words, such as `no PULL_DATA for 90 s`. */
  reason: string;
}
