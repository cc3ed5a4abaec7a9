import { lateCopyMs } from '../radio/uplink.ts';
import type { DeviceSession } from '../state/session.ts';

/**
 * Whether the device may use the session of its last join already. Not after an uplink in its current session that it
 * certainly sent after the join: it has not received the join-accept. Clocks of instances differ by less than a slow
 * gateway delays a copy.
 */
export function mayUsePending({
  current,
  pending,
}: Readonly<Record<'current' | 'pending', Omit<DeviceSession, 'keys'> | null>>): boolean {
  if (!pending) return false;
  return (current?.lastUplinkAt ?? 0) < pending.activatedAt + lateCopyMs;
}
