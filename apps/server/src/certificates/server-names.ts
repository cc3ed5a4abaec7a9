import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const mostNames = 50;

/** What clients may call this server by: the name it is known by, localhost and its own addresses. */
export function serverNames(known: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
  const lasting = addresses.filter((address) => !address.startsWith('fe80:'));
  return [...new Set([known || hostname(), 'localhost', ...lasting])].slice(0, mostNames);
}

/** Whether a certificate lasts until then, and is for all these names. */
export function isGoodFor(cert: string, names: readonly string[], until: Date): boolean {
  const certificate = new X509Certificate(cert);
  const has = (name: string) => (isIP(name) > 0 ? certificate.checkIP(name) : certificate.checkHost(name));
  return certificate.validToDate > until && names.every((name) => has(name) !== undefined);
}
