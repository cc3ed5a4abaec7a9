import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { createWebSocketStream } from 'ws';
import type { Metrics } from '../metrics.ts';
import { isForeign } from './cross-origin.ts';
import type { ClientSettings } from './settings.ts';

interface MQTTWebSocketDependencies {
  mqtt: { take: (stream: Duplex, from: { address: string }) => void };
  config: Pick<ClientSettings, 'corsAllowOrigin'>;
  metrics: Pick<Metrics, 'count'>;
}

/** MQTT over a websocket, for pages and for networks that allow no other protocol. */
export function serveMQTT(app: FastifyInstance, { mqtt, config, metrics }: MQTTWebSocketDependencies): void {
  app.route({
    method: 'GET',
    url: '/mqtt',
    handler: (_request, reply) =>
      reply
        .code(426)
        .header('Upgrade', 'websocket')
        .type('text/plain')
        .send('This address serves MQTT over a websocket.'),
    wsHandler: (socket, request) => {
      if (socket.protocol !== 'mqtt' || isForeign(request.headers.origin, request.host, config.corsAllowOrigin)) {
        metrics.count('mqtt_refused', { reason: socket.protocol === 'mqtt' ? 'foreign_page' : 'sub_protocol' });
        return socket.close(1008);
      }
      const stream = createWebSocketStream(socket as Parameters<typeof createWebSocketStream>[0]);
      // Packets are written in pieces: sends them in one message.
      stream._writev = (chunks, done) => {
        stream._write(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk as Buffer))), 'binary', done);
      };
      // A client that violates the protocol is only disconnected.
      stream.on('error', () => stream.destroy());
      mqtt.take(stream, { address: request.ip });
    },
  });
}
