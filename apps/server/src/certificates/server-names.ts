import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const mostNames = 50;

/** The names by which clients may address this server: its public name, localhost and its own addresses. */
export function serverNames(known: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
  const lasting = addresses.filter((address) => !address.startsWith('fe80:'));
  return [...new Set([known || hostname(), 'localhost', ...lasting])].slice(0, mostNames);
}

/** Whether a certificate is valid until then and for all these names. */
export function isGoodFor(cert: string, names: readonly string[], until: Date): boolean {
  const certificate = new X509Certificate(cert);
  const has = (name: string) => (isIP(name) > 0 ? certificate.checkIP(name) : certificate.checkHost(name));
  return certificate.validToDate > until && names.every((name) => has(name) !== undefined);
}
