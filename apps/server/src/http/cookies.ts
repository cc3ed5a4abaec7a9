import type { IncomingHttpHeaders } from 'node:http';

/** A cookie of this server: never readable by scripts, never sent to other hosts, and over TLS never without it. */
export interface Cookie {
  name: string;
  value: string;
  maxAgeSeconds: number;
  /** `Lax` when the browser must send it after following a link from another site. */
  sameSite: 'Strict' | 'Lax';
  /** Whether the browser uses TLS. */
  isSecure: boolean;
}

/** The value for `Set-Cookie`. */
export function formatCookie({ name, value, maxAgeSeconds, sameSite, isSecure }: Cookie): string {
  const secure = isSecure ? '; Secure' : '';
  return `${nameOf(name, isSecure)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The value of a cookie of this server in the request. */
export function readCookie(headers: IncomingHttpHeaders, name: string, isSecure: boolean): string | undefined {
  const start = `${nameOf(name, isSecure)}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Browsers accept a name with this prefix only from the host itself and only over TLS (RFC 6265bis §4.1.3.2). */
function nameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
