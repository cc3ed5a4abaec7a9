import type { DeliveryError } from '../outgoing/delivery-error.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { type Health, type HealthObservation, nextHealth, OutcomeWindow } from './health.ts';
import type { DeliveryRuntime } from './runtime.ts';

type Backlog = Pick<HealthObservation, 'retrying' | 'oldestAt'>;

/** Updates the circuit breaker and the health of one integration by the outcomes of its requests. */
export class EndpointMonitor {
  readonly breaker: CircuitBreaker;
  readonly #runtime: Pick<DeliveryRuntime, 'clock' | 'steadyTime' | 'giveUpMs'>;
  readonly #outcomes = new OutcomeWindow();
  readonly #backlog: () => Backlog;
  readonly #onChange: (health: Health, before: Health) => void;
  #health: Health;
  #lastProblem: string;

  constructor(
    runtime: Pick<DeliveryRuntime, 'clock' | 'steadyTime' | 'giveUpMs' | 'random'>,
    {
      health,
      maxInFlight,
      backlog,
      onChange,
    }: {
      health: Health;
      maxInFlight: number;
      backlog: () => Backlog;
      onChange: (health: Health, before: Health) => void;
    },
  ) {
    this.#runtime = runtime;
    this.breaker = new CircuitBreaker(runtime, maxInFlight);
    this.#health = health;
    this.#lastProblem = health.reason;
    this.#backlog = backlog;
    this.#onChange = onChange;
  }

  get health(): Health {
    return this.#health;
  }

  get isSuspended(): boolean {
    return this.#health.state === 'SUSPENDED';
  }

  recordSuccess(maxInFlight: number): void {
    this.breaker.recordSuccess(maxInFlight);
    this.#outcomes.add('success');
    this.#update({ ...this.#health, failingSince: undefined, lastSuccessAt: this.#runtime.clock.now() });
  }

  /** The endpoint failed: the circuit breaker opens, and after `giveUpMs` without a success the integration is suspended. */
  recordEndpointFailure(error: DeliveryError, startedAt: number): void {
    this.#lastProblem = error.message;
    if (this.breaker.recordFailure(error, startedAt)) this.#outcomes.add('failure');
    else this.#outcomes.addStaleFailure();
    const failingSince = this.markFailing(startedAt);
    if (this.#runtime.steadyTime.now() - failingSince.getTime() >= this.#runtime.giveUpMs)
      this.suspend(`Nothing was delivered since ${failingSince.toISOString()}. ${error.message}`);
  }

  /** One event failed while the endpoint may be fine; `markFailing` follows once the event is queued again. */
  recordEventFailure(error: DeliveryError): void {
    this.#lastProblem = error.message;
    this.#outcomes.add('failure');
  }

  /** A request failed that began at `startedAt` (monotonic ms); returns since when nothing has succeeded. */
  markFailing(startedAt: number): Date {
    const { clock } = this.#runtime;
    const startedAtWall = new Date(clock.now().getTime() - (clock.monotonicMs() - startedAt));
    const failingSince = this.#health.failingSince ?? startedAtWall;
    this.#update({ ...this.#health, failingSince });
    return failingSince;
  }

  /** Users see this as the reason of a degraded state. */
  noteProblem(message: string): void {
    this.#lastProblem = message;
  }

  /** Call it when the number of retries has changed: evaluates the health again. */
  reevaluate(): void {
    this.#update(this.#health);
  }

  suspend(reason: string): void {
    this.#update({ ...this.#health, state: 'SUSPENDED', reason, since: this.#runtime.clock.now() });
  }

  resume(maxInFlight: number): void {
    this.#lastProblem = '';
    this.breaker.reset(maxInFlight);
    this.#outcomes.clear();
    const { lastSuccessAt } = this.#health;
    const since = this.#runtime.clock.now();
    this.#update({ state: 'HEALTHY', reason: '', since, failingSince: undefined, lastSuccessAt });
  }

  #update(next: Health): void {
    const before = this.#health;
    this.#health = nextHealth(next, this.#outcomes, {
      ...this.#backlog(),
      now: this.#runtime.clock.now(),
      lastProblem: this.#lastProblem,
      pauseMs: this.breaker.remainingPauseMs(),
    });
    if (this.#health !== before) this.#onChange(this.#health, before);
  }
}
