import type { Clock } from '@hilltop/network-server';

/** Times are milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** A run of a server whose clock showed later times than this clock. */
export interface RunAhead extends TimeSpan {
  /** What this clock showed when the run was found: the time that has passed since is known. */
  readonly foundAt: number;
}

/** What is needed to judge durations although the clock may be set. */
export interface KnownTime {
  readonly now: number;
  /** When no server ran, and what the clock skipped: nothing could be received. */
  readonly interruptions: readonly TimeSpan[];
  /** When no server ran, by the clock as it was before `steps`. */
  readonly stops: readonly TimeSpan[];
  /** How the clock was set, from one time to another, in the order in which it happened. */
  readonly steps: readonly TimeSpan[];
  /** Runs of earlier processes and of other instances; their order is not known. */
  readonly ahead: readonly RunAhead[];
}

/** The clock differs from the time that has passed by more than this: it was set. */
const leastStepMs = 5000;
const mostStored = 1000;
/** Clocks of instances may differ by this. A time may also be written after the time now was read. */
export const usualDifferenceMs = 60_000;

/** Compares the clock with the time that passes, each time it is read. */
export class ClockSteps {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #ahead: readonly RunAhead[];
  readonly #stops: readonly TimeSpan[];
  #interruptions: readonly TimeSpan[];
  #steps: readonly TimeSpan[] = [];
  #last: { wallMs: number; monotonicMs: number } | undefined;

  constructor(clock: Pick<Clock, 'now' | 'monotonicMs'>, known: Partial<Pick<KnownTime, 'stops' | 'ahead'>> = {}) {
    this.#clock = clock;
    this.#stops = known.stops ?? [];
    this.#interruptions = this.#stops;
    this.#ahead = known.ahead ?? [];
    this.read();
  }

  /** The time now; `step` is how the clock was set since the last reading. */
  read(): KnownTime & { readonly step: TimeSpan | undefined } {
    const [wallMs, monotonicMs] = [this.#clock.now().getTime(), this.#clock.monotonicMs()];
    const last = (this.#last ??= { wallMs, monotonicMs });
    const step = { from: Math.round(last.wallMs + monotonicMs - last.monotonicMs), to: wallMs };
    this.#last = { wallMs, monotonicMs };
    const isStep = Math.abs(step.to - step.from) > leastStepMs;
    if (isStep) this.#note(step);
    const [interruptions, stops, steps, ahead] = [this.#interruptions, this.#stops, this.#steps, this.#ahead];
    return { now: wallMs, interruptions, stops, steps, ahead, step: isStep ? step : undefined };
  }

  #note(step: TimeSpan): void {
    this.#steps = [...this.#steps, step].slice(-mostStored);
    if (step.to > step.from) {
      this.#interruptions = [...this.#interruptions, step].slice(-mostStored);
      return;
    }
    // What the clock had skipped and now passes again is no interruption any more. A stop ahead was as long ago as before.
    const back = step.from - step.to;
    this.#interruptions = this.#interruptions
      .map((one) => ({
        from: one.from > step.to ? one.from - back : one.from,
        to: one.to > step.to ? Math.min(one.to - back, step.to) : one.to,
      }))
      .filter(({ from, to }) => to > from);
  }
}

/**
 * How long something was awaited that could have arrived since a time, and how long nothing could. Never more than
 * what has passed: a time that the clock has shown twice counts as the later one.
 */
export function elapsedSince(time: KnownTime, from: number): { ms: number; missedMs: number } {
  const { now, interruptions } = time;
  if (from > now) return { ms: elapsedSinceAhead(time, from), missedMs: 0 };
  const missedMs = missedBetween(interruptions, from, now);
  return { ms: now - from - missedMs, missedMs };
}

function missedBetween(spans: readonly TimeSpan[], from: number, to: number): number {
  return spans.reduce((sum, one) => sum + Math.max(0, Math.min(one.to, to) - Math.max(one.from, from)), 0);
}

/** Since a time that is ahead: it is from before the clock was set back, or from another clock. */
function elapsedSinceAhead(time: KnownTime, from: number): number {
  const { now, ahead } = time;
  if (from <= now + usualDifferenceMs) return 0;
  const own = elapsedOfSteps(time, from);
  const found = ahead.filter((run) => run.from <= from && run.to >= from);
  const known = found.map((run) => run.to - from + now - run.foundAt).concat(own ?? []);
  if (known.length > 0) return Math.max(0, Math.min(...known));
  // Skipped by one of those runs, at the latest.
  const later = ahead.filter((run) => run.to >= from).map((run) => now - run.foundAt);
  return later.length > 0 ? Math.max(0, Math.min(...later)) : 0;
}

/** Goes back from now, step by step, to when this clock last showed a time or skipped it. */
function elapsedOfSteps({ now, steps, stops }: KnownTime, from: number): number | undefined {
  let [end, ms] = [now, 0];
  for (const step of steps.toReversed()) {
    if (from >= step.to && from <= end) return ms + end - from;
    ms += end - step.to;
    if (from > step.from && from < step.to) return ms;
    end = step.from;
  }
  return from <= end ? ms + end - from - missedBetween(stops, from, end) : undefined;
}

/** The time since which so much has passed, without interruptions. */
export function timeBefore({ now, interruptions }: KnownTime, ms: number): number {
  let from = now - ms;
  for (const one of interruptions.toSorted((a, b) => b.to - a.to))
    if (one.to > from && one.from < now) from -= Math.min(one.to, now) - one.from;
  return from;
}
