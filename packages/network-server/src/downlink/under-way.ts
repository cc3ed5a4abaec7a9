import type { QueueItem } from '../state/state.ts';
import type { Listener } from './listener.ts';

const longestRetryMs = 300_000;
/** How long an acknowledgement is waited for when the device-profile says nothing (0). */
const defaultTimeoutSeconds = 5;

/**
 * An item of a listening device whose frame leaves. Without an answer of its gateway it leaves again after
 * `downlinkTimeoutMs`, then less and less often; without an acknowledgement of the device it fails in its time.
 */
export function underWay({ network, session, deviceProfile }: Listener, item: QueueItem, onAirAt: number) {
  const { classBTimeout, classCTimeout } = deviceProfile;
  const retryMs = Math.min(network.settings.downlinkTimeoutMs * 2 ** item.attempts, longestRetryMs);
  const timeout = (session.mode === 'B' ? classBTimeout : classCTimeout) || defaultTimeoutSeconds;
  return {
    ...item,
    hasLeft: true,
    leftAt: network.clock.now().getTime(),
    attempts: item.attempts + 1,
    notBefore: onAirAt + retryMs,
    timeoutAt: onAirAt + timeout * 1000,
  };
}

/** By the clock an item will have left some day: it was set back since, and all that counts from there moves along. */
export function byClockNow(item: QueueItem, now: number): QueueItem {
  const { leftAt = 0, notBefore, timeoutAt } = item;
  if (leftAt <= now) return item;
  const earlier = (time: number | null) => (time === null ? null : time - (leftAt - now));
  return { ...item, leftAt: now, notBefore: earlier(notBefore), timeoutAt: earlier(timeoutAt) };
}
