import type { Duplex } from 'node:stream';
import type { MQTTClient } from '@hilltop/contract';
import type { IntegrationAdapter } from '../integrations/integration.ts';

/** Where programs hear events and publish commands: the embedded broker, or one elsewhere that we are a client of. */
export interface Broker {
  readonly kind: 'EMBEDDED' | 'EXTERNAL';
  /** Throws StartError when an address cannot be had. */
  start: () => Promise<void>;
  /** How the delivery engine publishes at a broker elsewhere; the embedded one reads the log itself. */
  readonly integration?: IntegrationAdapter<object>;
  /** Says goodbye to all clients. */
  stop: () => Promise<void>;
  /** The real ports; undefined for a listener that is switched off. */
  ports: () => { tcp: number | undefined; tls: number | undefined };
  /** A client that came over a websocket. */
  take: (stream: Duplex, from: { address: string }) => void;
  /** Who is connected with a certificate or key of the application, the latest first. None at a broker elsewhere. */
  clientsOf: (applicationID: number) => MQTTClient[];
  /** False when the application has no such client. */
  disconnect: (applicationID: number, connectionID: string) => boolean;
}
