import type { FastifyInstance } from 'fastify';

/** For pages of the site that the setting names; the headers are those of the published API. */
export function crossOriginHeaders(allowed: string): Readonly<Record<string, string>> {
  if (allowed === '') return {};
  return {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE',
    'Access-Control-Allow-Headers':
      'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization, Grpc-Metadata-Authorization',
  };
}

/** Browsers ask first whether their page may call. The headers are the answer. */
export function answerPreflights(app: FastifyInstance, allowed: string): void {
  if (allowed === '') return;
  app.addHook('onRequest', async ({ method }, reply) => {
    if (method === 'OPTIONS') return reply.code(200).send('');
  });
}

/** A browser says which site opened a websocket: our own may, and the one of the setting. Programs say nothing. */
export function isForeign(origin: string | undefined, host: string | undefined, allowed: string): boolean {
  if (origin === undefined || allowed === '*' || origin === allowed) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
