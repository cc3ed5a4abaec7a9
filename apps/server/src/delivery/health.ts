import type { DeliveryStatus } from '@hilltop/contract';

/** The health of an integration. Times are wall clock, as they outlive the process. */
export interface Health {
  readonly state: DeliveryStatus['state'];
  readonly reason: string;
  /** When the state began. */
  readonly since: Date;
  /** When the first request began that failed after the last success. */
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

const degradingFailures = 5;
const recoveringSuccesses = 20;
const windowSize = 20;
const maxBacklogAgeMs = 60_000;
/** At least two failures without a success, the first this long ago, degrade. */
const failingForMs = 10_000;

/** The outcomes of the last deliveries. */
export class OutcomeWindow {
  #outcomes: ('success' | 'failure')[] = [];
  #consecutive: { outcome: 'success' | 'failure'; count: number } = { outcome: 'success', count: 0 };
  #failuresSinceSuccess = 0;

  add(outcome: 'success' | 'failure'): void {
    this.#failuresSinceSuccess = outcome === 'success' ? 0 : this.#failuresSinceSuccess + 1;
    const isSame = outcome === this.#consecutive.outcome;
    this.#consecutive = { outcome, count: isSame ? this.#consecutive.count + 1 : 1 };
    this.#outcomes = [...this.#outcomes, outcome].slice(-windowSize);
  }

  /** A request failed that was under way at an earlier failure: this reveals nothing new about the endpoint. */
  addStaleFailure(): void {
    this.#failuresSinceSuccess += 1;
  }

  get failuresSinceSuccess(): number {
    return this.#failuresSinceSuccess;
  }

  /** Five consecutive failures, or half of the last twenty outcomes. */
  isBad(): boolean {
    const { outcome, count } = this.#consecutive;
    if (outcome === 'failure' && count >= degradingFailures) return true;
    const failures = this.#outcomes.filter((recent) => recent === 'failure').length;
    return this.#outcomes.length === windowSize && failures >= windowSize / 2;
  }

  isGood(): boolean {
    return this.#consecutive.outcome === 'success' && this.#consecutive.count >= recoveringSuccesses;
  }

  clear(): void {
    this.#outcomes = [];
    this.#consecutive = { outcome: 'success', count: 0 };
    this.#failuresSinceSuccess = 0;
  }
}

/** The input of the health besides the last outcomes. */
export interface HealthObservation {
  now: Date;
  /** Events in the retry queue. */
  retrying: number;
  /** Of the oldest event that waits to be sent; undefined when none does. */
  oldestAt: Date | undefined;
  lastProblem: string;
  /** Remaining pause of the circuit breaker. */
  pauseMs: number;
}

/** The health after a delivery. Only a user ends a suspension. */
export function nextHealth(before: Health, outcomes: OutcomeWindow, observed: HealthObservation): Health {
  if (before.state === 'SUSPENDED') return before;
  const { now, retrying, oldestAt, lastProblem, pauseMs } = observed;
  const { failingSince } = before;
  if (before.state === 'HEALTHY') {
    const hasFailedLong =
      failingSince && outcomes.failuresSinceSuccess > 1 && now.getTime() - failingSince.getTime() >= failingForMs;
    // Events will be late before the next request to the endpoint.
    const isPausedLong = failingSince && pauseMs >= maxBacklogAgeMs;
    if (!outcomes.isBad() && !hasFailedLong && !isPausedLong && retrying === 0) return before;
    return { ...before, state: 'DEGRADED', since: now, reason: lastProblem };
  }
  const isBacklogRecent = oldestAt === undefined || now.getTime() - oldestAt.getTime() < maxBacklogAgeMs;
  const hasRecovered = failingSince === undefined && retrying === 0 && isBacklogRecent;
  if (hasRecovered && (outcomes.isGood() || oldestAt === undefined))
    return { ...before, state: 'HEALTHY', since: now, reason: '' };
  return failingSince && lastProblem !== '' ? { ...before, reason: lastProblem } : before;
}
