import { createHash } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { documentNames, mergedSwaggerDocument, swaggerDocument } from '@hilltop/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseUnknown } from './operations.ts';

/**
 * Serves the definition documents of the API. Each is built for its first request, because building all takes a fifth of
 * a start; clients then only ask whether they changed.
 */
export function serveSwagger(app: FastifyInstance): void {
  const encoded = new Map<string, ReturnType<typeof encode>>();
  const documents = new Map<string, () => unknown>([
    ...documentNames.map((name) => [fileOf(name), () => swaggerDocument(name)] as const),
    [fileOf('api'), () => mergedSwaggerDocument('Hilltop')],
  ]);
  app.get<{ Params: { file: string } }>('/swagger/:file', (request, reply) => {
    const { file } = request.params;
    const build = documents.get(file);
    if (!build) return refuseUnknown(request, reply);
    const document = encoded.get(file) ?? encode(build());
    encoded.set(file, document);
    return send(request, reply, document);
  });
}

const fileOf = (name: string) => `${name}.swagger.json`;

function encode(document: unknown) {
  const text = Buffer.from(JSON.stringify(document));
  const packed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return { text, packed, etag };
}

function send(request: FastifyRequest, reply: FastifyReply, { text, packed, etag }: ReturnType<typeof encode>) {
  reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' });
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const takesBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (takesBrotli) reply.header('Content-Encoding', 'br');
  return reply.type('application/json').send(takesBrotli ? packed : text);
}

/** A proxy that compresses answers makes their tags weak, and a client may send several. */
function isKnown(tags: string | undefined, etag: string): boolean {
  return (tags ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
