import type { DeviceSession, DownlinkCounter } from '../state/session.ts';
import { versionOf } from './session-version.ts';

/** The counter that application data of a session uses. */
export function dataCounterOf(session: DeviceSession): DownlinkCounter {
  return versionOf(session) === '1.1' ? 'aFCntDown' : 'nFCntDown';
}
