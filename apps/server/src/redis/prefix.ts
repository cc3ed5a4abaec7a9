import { hkdfSync } from 'node:crypto';

/** The prefix of all names in Redis: installations may share one, and only this one has the key. */
export const prefixOf = (tokenKey: Uint8Array): string =>
  `hilltop:${Buffer.from(hkdfSync('sha256', tokenKey, '', 'hilltop channels', 6)).toString('hex')}:`;
