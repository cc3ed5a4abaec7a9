import type { DeviceSession } from '../state/session.ts';

/** The security version of a session; the third digit of the MAC version matters only for radio parameters. */
export function versionOf({ macVersion }: Pick<DeviceSession, 'macVersion'>): '1.0' | '1.1' {
  return macVersion.startsWith('1.1') ? '1.1' : '1.0';
}

/** Whether devices count their DevNonces; older ones choose random ones. */
export function isDevNonceCounter({ macVersion }: Pick<DeviceSession, 'macVersion'>): boolean {
  return !/^1\.0(\.[0-3])?$/.test(macVersion);
}
