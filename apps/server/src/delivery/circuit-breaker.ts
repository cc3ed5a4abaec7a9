import type { Clock } from '@hilltop/network-server';
import type { DeliveryError } from '../outgoing/delivery-error.ts';
import { breakerPauseMs } from './back-off.ts';

const firstLimit = 8;
const failuresPerLogLine = 10;

/**
 * Limits the requests in flight to one endpoint. After a failure it is open: nothing is sent during a growing pause, and
 * then one request at a time until one succeeds. Each success raises the limit by one.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #random: () => number;
  #limit: number;
  /** Monotonic ms. */
  #pausedUntil = 0;
  /** Consecutive failures, each of a request that began after the previous one was known. */
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #hasLastRequestFailed = false;
  #failuresSinceClosed = 0;

  constructor({ clock, random }: { clock: Clock; random: () => number }, maxInFlight: number) {
    this.#clock = clock;
    this.#random = random;
    this.#limit = Math.min(firstLimit, maxInFlight);
  }

  allowsRequest(inFlight: number): boolean {
    return inFlight < this.#limit && this.#clock.monotonicMs() >= this.#pausedUntil;
  }

  /** The endpoint failed and has not accepted anything since. */
  get isOpen(): boolean {
    return this.#failures > 0;
  }

  /** Not positive when the pause is over. */
  remainingPauseMs(): number {
    return this.#pausedUntil - this.#clock.monotonicMs();
  }

  recordSuccess(maxInFlight: number): void {
    this.#close();
    this.#limit = Math.min(maxInFlight, this.#limit + 1);
  }

  /** The endpoint answered, although it refused the event. */
  recordResponse(): void {
    this.#hasLastRequestFailed = false;
  }

  /** Returns whether this is the first failure since the endpoint accepted or refused an event: this event may be at fault. */
  recordConsecutiveFailure(): boolean {
    const isFirst = !this.#hasLastRequestFailed;
    this.#hasLastRequestFailed = true;
    return isFirst;
  }

  /**
   * The endpoint failed on a request that began at `startedAt`; returns whether this failure counts. Requests that were
   * under way at the last failure failed for the same reason, and neither count nor extend the pause.
   */
  recordFailure({ retryAfterMs }: Pick<DeliveryError, 'retryAfterMs'>, startedAt: number): boolean {
    this.#limit = 1;
    if (startedAt < this.#failedAt) return false;
    this.#failedAt = this.#clock.monotonicMs();
    this.#failures += 1;
    this.#pausedUntil = this.#failedAt + (retryAfterMs ?? breakerPauseMs(this.#failures, this.#random));
    return true;
  }

  /** Counts a failure; returns whether the attempt log gets a line about it: for the first and then for every tenth. */
  countFailureForLog(): boolean {
    this.#failuresSinceClosed += 1;
    return this.#failuresSinceClosed % failuresPerLogLine === 1;
  }

  /**
   * Call it when a user resumed the integration or changed its configuration. Earlier requests do not count any more.
   */
  reset(maxInFlight: number): void {
    this.#close();
    this.#failedAt = this.#clock.monotonicMs();
    this.#limit = Math.min(firstLimit, maxInFlight);
  }

  lowerLimit(maxInFlight: number): void {
    this.#limit = Math.min(this.#limit, maxInFlight);
  }

  #close(): void {
    this.#failures = 0;
    this.#failuresSinceClosed = 0;
    this.#hasLastRequestFailed = false;
    this.#pausedUntil = 0;
  }
}
