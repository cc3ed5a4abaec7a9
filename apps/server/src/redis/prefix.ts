import { hkdfSync } from 'node:crypto';

/** What all names in Redis begin with: installations may share one, and only this one has the key. */
export const prefixOf = (tokenKey: Uint8Array): string =>
  `hilltop:${Buffer.from(hkdfSync('sha256', tokenKey, '', 'hilltop channels', 6)).toString('hex')}:`;
