import { useState } from 'react';

const hourMs = 60 * 60 * 1000;
const roundMs = 5 * 60 * 1000;

export interface StatsWindow {
  readonly interval: 'DAY' | 'HOUR';
  /** RFC 3339 timestamps. */
  readonly startTimestamp: string;
  readonly endTimestamp: string;
}

/** The last days or hours, rounded so that a page that is reopened soon finds its figures in the cache. */
export function useStatsWindow(back: { readonly days: number } | { readonly hours: number }): StatsWindow {
  const [nowMs] = useState(() => Math.ceil(Date.now() / roundMs) * roundMs);
  const hours = 'hours' in back ? back.hours : back.days * 24;
  return {
    interval: 'hours' in back ? 'HOUR' : 'DAY',
    startTimestamp: new Date(nowMs - hours * hourMs).toISOString(),
    endTimestamp: new Date(nowMs).toISOString(),
  };
}
