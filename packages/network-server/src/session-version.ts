import type { DeviceSession } from './state/session.ts';

/** Which security a session uses; the third digit of the MAC version only matters for radio parameters. */
export function versionOf({ macVersion }: Pick<DeviceSession, 'macVersion'>): '1.0' | '1.1' {
  return macVersion.startsWith('1.1') ? '1.1' : '1.0';
}
