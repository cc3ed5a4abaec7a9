import type { FastifyInstance } from 'fastify';

/** The CORS headers for the origin that the setting names, as in the published API. */
export function crossOriginHeaders(allowed: string): Readonly<Record<string, string>> {
  if (allowed === '') return {};
  return {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE',
    'Access-Control-Allow-Headers':
      'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization, Grpc-Metadata-Authorization',
  };
}

/** Answers preflight requests, by which browsers ask whether a page may call the API. */
export function answerPreflights(app: FastifyInstance, allowed: string): void {
  if (allowed === '') return;
  app.addHook('onRequest', async ({ method }, reply) => {
    if (method === 'OPTIONS') return reply.code(200).send('');
  });
}

/**
 * Whether another site opened a websocket: browsers send the origin. Our own origin and the one of the setting are
 * allowed; programs send none.
 */
export function isForeign(origin: string | undefined, host: string | undefined, allowed: string): boolean {
  if (origin === undefined || allowed === '*' || origin === allowed) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
