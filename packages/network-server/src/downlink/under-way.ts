import type { QueueItem } from '../state/state.ts';
import type { Listener } from './listener.ts';

const longestRetryMs = 300_000;

/**
 * An item of a listening device whose frame leaves. Without an answer of its gateway it leaves again after
 * `downlinkTimeoutMs`, then less and less often; without an acknowledgement of the device it fails in its time.
 */
export function underWay({ network, session, deviceProfile }: Listener, item: QueueItem, onAirAt: number) {
  const { classBTimeout, classCTimeout } = deviceProfile;
  const retryMs = Math.min(network.settings.downlinkTimeoutMs * 2 ** item.attempts, longestRetryMs);
  const timeout = session.mode === 'B' ? classBTimeout : classCTimeout;
  return {
    ...item,
    hasLeft: true,
    attempts: item.attempts + 1,
    notBefore: onAirAt + retryMs,
    timeoutAt: onAirAt + timeout * 1000,
  };
}
