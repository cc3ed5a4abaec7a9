import type { QueueItem } from '../state/state.ts';
import type { Listener } from './listener.ts';

const longestRetryMs = 300_000;
/** How long an acknowledgement may take when the device profile does not say (0). */
const defaultTimeoutSeconds = 5;

/**
 * An item of a class B or C device when its frame is sent. Without an answer of its gateway it is sent again after
 * `downlinkTimeoutMs`, then after longer and longer times; without an acknowledgement of the device it fails in time.
 */
export function whileUnconfirmed({ network, session, deviceProfile }: Listener, item: QueueItem, onAirAt: number) {
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

/** Corrects an item after the clock was set back: when it was sent in the future, all its times move. */
export function withCorrectedClock(item: QueueItem, now: number): QueueItem {
  const { leftAt = 0, notBefore, timeoutAt } = item;
  if (leftAt <= now) return item;
  const earlier = (time: number | null) => (time === null ? null : time - (leftAt - now));
  return { ...item, leftAt: now, notBefore: earlier(notBefore), timeoutAt: earlier(timeoutAt) };
}
