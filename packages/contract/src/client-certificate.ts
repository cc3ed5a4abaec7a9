import { message, text, timestamp, type ValueOf } from './wire.ts';

/** The certificate with which a program of an application or a gateway signs in, without its key. */
export const ClientCertificate = message('hilltop.ClientCertificate', {
  serial: text({ label: 'Serial number', help: 'Hexadecimal.' }),
  issuedAt: timestamp({ label: 'Issued' }),
  expiresAt: timestamp({ label: 'Expires' }),
  revokedAt: timestamp({ label: 'Revoked', help: 'Null while it is good.' }),
  lastUsedAt: timestamp({ label: 'Last used', help: 'Rounded to the hour; null when it was never used.' }),
});
export type ClientCertificate = ValueOf<typeof ClientCertificate>;

/** The most valid certificates of an application or gateway: neither revoked nor expired. */
export const mostClientCertificates = 20;
