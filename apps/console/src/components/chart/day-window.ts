import { useState } from 'react';

const dayMs = 24 * 60 * 60 * 1000;
const roundMs = 5 * 60 * 1000;

export interface DayWindow {
  readonly interval: 'DAY';
  /** Instants, RFC 3339. */
  readonly startTimestamp: string;
  readonly endTimestamp: string;
}

/** From some days ago until now, rounded so that a page opened again soon finds its figures in the cache. */
export function useDayWindow(days: number): DayWindow {
  const [nowMs] = useState(() => Math.ceil(Date.now() / roundMs) * roundMs);
  return {
    interval: 'DAY',
    startTimestamp: new Date(nowMs - days * dayMs).toISOString(),
    endTimestamp: new Date(nowMs).toISOString(),
  };
}
