import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import type { IntegrationAdapter } from '../integrations/integration.ts';

/**
 * The broker from which programs receive events and to which they publish commands: the embedded one, or an external
 * one with this server as a client.
 */
export interface Broker {
  readonly kind: 'EMBEDDED' | 'EXTERNAL';
  /** Throws StartError when an address cannot be bound. */
  start: () => Promise<void>;
  /**
   * Publishes events to an external broker for the delivery; clients of the embedded one read the event log themselves.
   */
  readonly integration?: IntegrationAdapter<object>;
  /** Disconnects all clients. */
  stop: () => Promise<void>;
  /** The bound ports; undefined for a listener that is off. */
  ports: () => { tcp: number | undefined; tls: number | undefined };
  /** Accepts a client that connected over a websocket. */
  take: (stream: Duplex, from: { address: string }) => void;
  /** The clients with a certificate or key of the application, the latest first. Empty for an external broker. */
  clientsOf: (applicationID: number) => MQTTClient[];
  /** False when the application has no such client. */
  disconnect: (applicationID: number, connectionID: string) => boolean;
  /** Whether any client receives the statistics of the gateways of an organization. */
  wantsGatewayStats: (organizationID: number) => boolean;
}
