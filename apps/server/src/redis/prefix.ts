import { hkdfSync } from 'node:crypto';

/** The prefix of all names in Redis. Installations may share one Redis; only this installation has the key. */
export const prefixOf = (tokenKey: Uint8Array): string =>
  `hilltop:${Buffer.from(hkdfSync('sha256', tokenKey, '', 'hilltop channels', 6)).toString('hex')}:`;
