import type { FastifyInstance } from 'fastify';
import type { Needs } from '../needs.ts';

/**
 * For those who watch the server: `/health` answers 200 while the database answers, `/metrics` is for Prometheus. And
 * what the console must know of the settings besides the contract: `/map.json` names the map's tiles, null for none.
 */
export function serveState(app: FastifyInstance, { config, database, metrics, log }: Needs): void {
  app.get('/health', async (_request, reply) => {
    reply.type('text/plain').header('Cache-Control', 'no-store');
    try {
      await database.ping();
      return reply.send('');
    } catch (error) {
      log.error({ err: error }, 'the database does not answer');
      return reply.code(503).send('The database does not answer.');
    }
  });
  const { mapTilesURL: url, mapAttribution: attribution } = config;
  app.get('/map.json', () => ({ tiles: url === '' ? null : { url, attribution } }));
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
