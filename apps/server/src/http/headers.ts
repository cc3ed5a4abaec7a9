import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { cleanBranding } from '../resources/internal/branding.ts';
import { crossOriginHeaders } from './cross-origin.ts';

type Settings = Pick<Config, 'mapTilesURL' | 'brandingRegistration' | 'brandingFooter' | 'corsAllowOrigin'>;
export type SecurityHeaders = Readonly<Record<string, string>>;

/** Every answer carries these: what a browser may do with our pages, and that nobody may frame or sniff them. */
export async function securityHeadersOf({
  mapTilesURL,
  corsAllowOrigin,
  ...branding
}: Settings): Promise<SecurityHeaders> {
  const tiles = mapTilesURL === '' ? '' : ` ${tileOrigin(mapTilesURL)}`;
  const logos = imageOrigins(await cleanBranding(branding.brandingRegistration + branding.brandingFooter));
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${tiles}${logos}`,
    `connect-src 'self'${tiles}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...crossOriginHeaders(corsAllowOrigin),
  };
}

export function sendSecurityHeaders(app: FastifyInstance, headers: SecurityHeaders): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** `https://{s}.tiles.example.org/{z}/...` -> `https://*.tiles.example.org`. */
function tileOrigin(url: string): string {
  const [, origin] = /^(https?:\/\/[^/]+)/i.exec(url) ?? [];
  return (origin ?? '').replace(/\{[^}]*\}/g, '*');
}

/** Where the operator's own HTML takes its images from. */
function imageOrigins(html: string): string {
  const urls = [...html.matchAll(/<img [^>]*src="(https:[^"]*)"/g)].map(([, url]) => url!);
  const origins = new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin));
  return [...origins].map((origin) => ` ${origin}`).join('');
}
