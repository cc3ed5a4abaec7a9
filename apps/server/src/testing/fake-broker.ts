import type { Broker } from '../mqtt/broker.ts';

/** A broker that is on and has no clients. */
export const fakeBroker: Broker = {
  kind: 'EMBEDDED',
  start: async () => undefined,
  stop: async () => undefined,
  ports: () => ({ tcp: 1883, tls: 8883 }),
  take: (stream) => stream.destroy(),
  clientsOf: () => [],
  disconnect: () => false,
  wantsGatewayStats: () => false,
};
