import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Compressing smaller answers costs more than it saves. */
const fewestBytes = 16 * 1024;

/** Compresses long JSON answers, such as lists of many rows, for clients that accept gzip. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isLong = typeof payload === 'string' && payload.length >= fewestBytes;
    if (!isLong || !takesGzip(request.headers['accept-encoding'])) return done(null, payload);
    reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length');
    gzip(payload, { level: 4 }, done);
  });
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(accepted ?? ''));
}
