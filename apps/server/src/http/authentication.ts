import type { IncomingHttpHeaders } from 'node:http';

/**
 * The token of a call: `Grpc-Metadata-Authorization`, as version 3 clients send it, or `Authorization`; with or without
 * `Bearer`. Null when there is none.
 */
export function tokenOf(headers: IncomingHttpHeaders): string | null {
  const given = headers['grpc-metadata-authorization'] ?? headers.authorization;
  const text = Array.isArray(given) ? given[0] : given;
  return text?.replace(/^bearer\s+/i, '').trim() || null;
}
