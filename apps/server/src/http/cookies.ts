import type { IncomingHttpHeaders } from 'node:http';

/** A cookie of ours: never for scripts of pages, never for other hosts, over TLS never without it. */
export interface Cookie {
  name: string;
  value: string;
  maxAgeSeconds: number;
  /** `Lax` where a link from another site must bring it along. */
  sameSite: 'Strict' | 'Lax';
  /** Whether the browser came over TLS. */
  isSecure: boolean;
}

/** The value for `Set-Cookie`. */
export function formatCookie({ name, value, maxAgeSeconds, sameSite, isSecure }: Cookie): string {
  const secure = isSecure ? '; Secure' : '';
  return `${nameOf(name, isSecure)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The value of a cookie of ours that came along. */
export function readCookie(headers: IncomingHttpHeaders, name: string, isSecure: boolean): string | undefined {
  const start = `${nameOf(name, isSecure)}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Browsers take a name with this prefix from the host itself only, and only over TLS (RFC 6265bis §4.1.3.2). */
function nameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
