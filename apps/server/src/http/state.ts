import type { FastifyInstance } from 'fastify';
import type { Needs } from '../needs.ts';

/** For those who watch the server: `/health` answers 200 while the database answers, `/metrics` is for Prometheus. */
export function serveState(app: FastifyInstance, { database, metrics, log }: Needs): void {
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
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
