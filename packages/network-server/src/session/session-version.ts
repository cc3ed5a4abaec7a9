import type { DeviceSession } from '../state/session.ts';

/** Which security a session uses; the third digit of the MAC version only matters for radio parameters. */
export function versionOf({ macVersion }: Pick<DeviceSession, 'macVersion'>): '1.0' | '1.1' {
  return macVersion.startsWith('1.1') ? '1.1' : '1.0';
}

/** Whether devices count their DevNonces; older ones choose each by chance. */
export function isDevNonceCounter({ macVersion }: Pick<DeviceSession, 'macVersion'>): boolean {
  return !/^1\.0(\.[0-3])?$/.test(macVersion);
}
