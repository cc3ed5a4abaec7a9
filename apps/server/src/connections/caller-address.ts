import type { IncomingHttpHeaders } from 'node:http';

/**
 * The address of a caller, determined as Fastify does for HTTP/1.1: headers of proxies count as far as the proxies are
 * trusted.
 */
export interface CallerAddress {
  address: string;
  /** Whether the caller uses TLS, to this server or to the proxy. */
  isSecure: boolean;
}

export function callerAddress(
  { remoteAddress = '', encrypted = false }: { remoteAddress?: string | undefined; encrypted?: boolean },
  headers: IncomingHttpHeaders,
  isProxy: (address: string) => boolean,
): CallerAddress {
  if (!isProxy(remoteAddress)) return { address: remoteAddress, isSecure: encrypted };
  const forwarded = entriesOf(headers['x-forwarded-for']).toReversed();
  const address = forwarded.find((one) => !isProxy(one)) ?? forwarded.at(-1) ?? remoteAddress;
  const protocol = entriesOf(headers['x-forwarded-proto']).at(-1);
  return { address, isSecure: protocol === undefined ? encrypted : protocol === 'https' };
}

function entriesOf(header: string | string[] | undefined): string[] {
  const entries = String(header ?? '').split(',');
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}
