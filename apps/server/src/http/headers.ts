import type { FastifyInstance } from 'fastify';
import { cleanBranding } from './branding.ts';
import { crossOriginHeaders } from './cross-origin.ts';
import { tileOrigins } from './map-tiles.ts';
import type { BrandingSettings, ClientSettings } from './settings.ts';

export type HeaderSettings = BrandingSettings & Pick<ClientSettings, 'corsAllowOrigin'> & { mapTilesURL: string };
export type SecurityHeaders = Readonly<Record<string, string>>;

const styles = "style-src 'self'";

/** Pages may ask for the position, and for the camera to scan labels; every other browser feature is disabled. */
const permissions = [
  'geolocation=(self)',
  'camera=(self)',
  'accelerometer=()',
  'display-capture=()',
  'gyroscope=()',
  'hid=()',
  'magnetometer=()',
  'microphone=()',
  'midi=()',
  'payment=()',
  'publickey-credentials-get=()',
  'screen-wake-lock=()',
  'serial=()',
  'usb=()',
  'xr-spatial-tracking=()',
].join(', ');

/** Browsers and proxies must not store personal answers. */
const isPrivate = /^\/(api|auth)\//;

/**
 * Headers of every answer: they restrict what browsers may do with our pages, and prohibit framing and content
 * sniffing.
 */
export async function securityHeadersOf({
  mapTilesURL,
  corsAllowOrigin,
  ...branding
}: HeaderSettings): Promise<SecurityHeaders> {
  const tiles = tileOrigins(mapTilesURL)
    .map((origin) => ` ${origin}`)
    .join('');
  const logos = imageOrigins(await cleanBranding(branding.brandingRegistration + branding.brandingFooter));
  const policy = [
    "default-src 'self'",
    // The decoder of QR codes is WebAssembly; this allows no `eval`.
    "script-src 'self' 'wasm-unsafe-eval'",
    styles,
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
    'Permissions-Policy': permissions,
    ...crossOriginHeaders(corsAllowOrigin),
  };
}

/** Browsers then use only TLS for a year. Over plain HTTP they ignore this header. */
const strictTransport = 'max-age=31536000; includeSubDomains';

export function sendSecurityHeaders(app: FastifyInstance, headers: SecurityHeaders): void {
  app.addHook('onRequest', ({ url, protocol }, reply, done) => {
    reply.headers(headers);
    if (protocol === 'https') reply.header('Strict-Transport-Security', strictTransport);
    if (isPrivate.test(url)) reply.header('Cache-Control', 'no-store');
    done();
  });
}

/** The headers of a page with its own styles, identified by a nonce that is valid for this answer only. */
export function withStyleNonce(policy: string, nonce: string): string {
  return policy.replace(styles, `${styles} 'nonce-${nonce}'`);
}

/** The origins of images in the HTML of the operator. */
function imageOrigins(html: string): string {
  const urls = [...html.matchAll(/<img [^>]*src="(https:[^"]*)"/g)].map(([, url]) => url!);
  const origins = new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin));
  return [...origins].map((origin) => ` ${origin}`).join('');
}
