import { createHash } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { documentNames, mergedSwaggerDocument, swaggerDocument } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';

/** Serves the definition documents of the API. They are built once; clients then only ask whether they changed. */
export function serveSwagger(app: FastifyInstance): void {
  for (const name of documentNames) serveDocument(app, name, swaggerDocument(name));
  serveDocument(app, 'api', mergedSwaggerDocument('Hilltop'));
}

function serveDocument(app: FastifyInstance, name: string, document: unknown): void {
  const text = Buffer.from(JSON.stringify(document));
  const packed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  app.get(`/swagger/${name}.swagger.json`, (request, reply) => {
    reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' });
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const takesBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
    if (takesBrotli) reply.header('Content-Encoding', 'br');
    return reply.type('application/json').send(takesBrotli ? packed : text);
  });
}

/** A proxy that compresses answers makes their tags weak, and a client may send several. */
function isKnown(tags: string | undefined, etag: string): boolean {
  return (tags ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
