import type { DeliveryStatus } from '@hilltop/contract';

/** How an integration is doing, and since when. Times are of the wall: they outlive the process. */
export interface Health {
  readonly state: DeliveryStatus['state'];
  readonly reason: string;
  readonly since: Date;
  /** When the request began that was the first to fail after the last success. */
  readonly failingSince: Date | undefined;
  readonly lastSuccessAt: Date | undefined;
}

export const healthy = (at: Date): Health => ({
  state: 'HEALTHY',
  reason: '',
  since: at,
  failingSince: undefined,
  lastSuccessAt: undefined,
});

const failuresInRow = 5;
const successesInRow = 20;
const looksBack = 20;
const levelMs = 60_000;
/** One request that fails is an accident; the next one as well, and after so long, it is not. */
const failsForMs = 10_000;

/** What is known of the last deliveries. */
export interface Recent {
  add(isSuccess: boolean): void;
  /** One more request failed, with others that were under way: that tells nothing new. */
  alsoFailed(): void;
  /** How many requests failed since the last success. */
  failed(): number;
  /** Whether it should be called degraded: too much fails. */
  isBad(): boolean;
  /** Whether it has delivered long enough to be believed. */
  isGood(): boolean;
  /** Nothing is known any more. */
  clear(): void;
}

export function createRecent(): Recent {
  let last: boolean[] = [];
  let inRow = 0;
  let failed = 0;
  return {
    add: (isSuccess) => {
      failed = isSuccess ? 0 : failed + 1;
      inRow = Math.sign(inRow) === (isSuccess ? 1 : -1) ? inRow + Math.sign(inRow) : isSuccess ? 1 : -1;
      last = [...last, isSuccess].slice(-looksBack);
    },
    alsoFailed: () => {
      failed += 1;
    },
    failed: () => failed,
    isBad: () =>
      inRow <= -failuresInRow || (last.length === looksBack && last.filter((one) => !one).length >= looksBack / 2),
    isGood: () => inRow >= successesInRow,
    clear: () => {
      last = [];
      inRow = 0;
      failed = 0;
    },
  };
}

/** What there is beside the last deliveries. */
export interface Circumstances {
  now: Date;
  /** Events that are set aside. */
  parked: number;
  /** Of the oldest event that waits; undefined when none does. */
  oldestAt: Date | undefined;
  trouble: string;
  /** For so long the endpoint is not asked. */
  pauseMs: number;
}

/** The state after a delivery. What is suspended stays so. */
export function judge(
  before: Health,
  recent: Recent,
  { now, parked, oldestAt, trouble, pauseMs }: Circumstances,
): Health {
  if (before.state === 'SUSPENDED') return before;
  const isLevel = oldestAt === undefined || now.getTime() - oldestAt.getTime() < levelMs;
  if (before.state === 'HEALTHY') {
    const { failingSince } = before;
    const failsLong = failingSince && recent.failed() > 1 && now.getTime() - failingSince.getTime() >= failsForMs;
    // It will be behind before anybody knows more.
    const waitsLong = failingSince && pauseMs >= levelMs;
    if (!recent.isBad() && !failsLong && !waitsLong && parked === 0) return before;
    return { ...before, state: 'DEGRADED', since: now, reason: trouble };
  }
  const isOver = before.failingSince === undefined && parked === 0 && isLevel;
  if (isOver && (recent.isGood() || oldestAt === undefined))
    return { ...before, state: 'HEALTHY', since: now, reason: '' };
  return before.failingSince && trouble !== '' ? { ...before, reason: trouble } : before;
}
