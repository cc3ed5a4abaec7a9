declare module '../database/tables.ts' {
  interface Tables {
    gateway_ping: GatewayPingTable;
    gateway_ping_rx: GatewayPingRXTable;
    gateway_ping_try: GatewayPingTryTable;
  }
}

/** The last ping that each gateway sent. */
interface GatewayPingTable {
  gateway_id: string;
  /** Eight hex digits. */
  mic: string;
  frequency: number;
  dr: number;
  created_at: Date;
}

/** A gateway that received it. */
interface GatewayPingRXTable {
  ping_gateway_id: string;
  gateway_id: string;
  received_at: Date;
  rssi: number;
  lora_snr: number;
  latitude: number;
  longitude: number;
  altitude: number;
}

/** The last attempt of each gateway to send a ping. */
interface GatewayPingTryTable {
  gateway_id: string;
  mic: string;
  frequency: number;
  dr: number;
  tried_at: Date;
  /** A `PingOutcome`. */
  outcome: string;
}

export {};
