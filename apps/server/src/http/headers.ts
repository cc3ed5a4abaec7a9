import type { FastifyInstance } from 'fastify';

/** Every answer carries these: what a browser may do with our pages, and that nobody may frame or sniff them. */
export function securityHeaders(app: FastifyInstance, { mapTilesURL }: { mapTilesURL: string }): void {
  const tiles = mapTilesURL === '' ? '' : ` ${tileOrigin(mapTilesURL)}`;
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${tiles}`,
    `connect-src 'self'${tiles}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    done();
  });
}

/** `https://{s}.tiles.example.org/{z}/...` -> `https://*.tiles.example.org`. */
function tileOrigin(url: string): string {
  const [, origin] = /^(https?:\/\/[^/]+)/i.exec(url) ?? [];
  return (origin ?? '').replace(/\{[^}]*\}/g, '*');
}
