import { useSyncExternalStore } from 'react';
import { formatExact, formatRelative } from './dates.ts';

const tickMs = 30_000;
const watchers = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  now = Date.now();
  for (const watcher of watchers) watcher();
}

/** One shared timer for all relative times: a list may show five hundred. */
function watchClock(watcher: () => void) {
  if (watchers.size === 0) {
    now = Date.now();
    timer = setInterval(tick, tickMs);
  }
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) clearInterval(timer);
  };
}

/** The current time in milliseconds; rerenders as it passes. */
export const useNow = (): number => useSyncExternalStore(watchClock, () => now);

/** "5 min ago" with the exact time as a tooltip, or "Never". Updates itself. */
export function LastSeen({ at }: { at: string | null | undefined }) {
  const nowMs = useNow();
  if (!at) return <span>Never</span>;
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at, nowMs)}
    </time>
  );
}
