import type { Clock } from '@hilltop/network-server';

/** Times are milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** What is needed to judge durations although the clock may be set. */
export interface KnownTime {
  readonly now: number;
  /** When no server ran, and what the clock skipped: nothing could be received. */
  readonly interruptions: readonly TimeSpan[];
  /** When the clock was set back: from a later time to an earlier one. */
  readonly setBacks: readonly TimeSpan[];
}

/** The clock differs from the time that has passed by more than this: it was set. */
const leastStepMs = 5000;
const mostStored = 1000;

/** Compares the clock with the time that passes, each time it is read. */
export class ClockSteps {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  #interruptions: readonly TimeSpan[];
  #setBacks: readonly TimeSpan[];
  #last: { wallMs: number; monotonicMs: number } | undefined;

  constructor(
    clock: Pick<Clock, 'now' | 'monotonicMs'>,
    known: Partial<Pick<KnownTime, 'interruptions' | 'setBacks'>> = {},
  ) {
    this.#clock = clock;
    this.#interruptions = known.interruptions ?? [];
    this.#setBacks = known.setBacks ?? [];
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
    const [interruptions, setBacks] = [this.#interruptions, this.#setBacks];
    return { now: wallMs, interruptions, setBacks, step: isStep ? step : undefined };
  }

  #note(step: TimeSpan): void {
    if (step.to > step.from) {
      this.#interruptions = [...this.#interruptions, step].slice(-mostStored);
      return;
    }
    this.#setBacks = [...this.#setBacks, step].slice(-mostStored);
    // What the clock had skipped and now passes again is no interruption any more.
    this.#interruptions = this.#interruptions
      .map((one) => (one.to > step.to ? { from: one.from, to: step.to - Math.max(0, step.from - one.to) } : one))
      .filter(({ from, to }) => to > from);
  }
}

/**
 * How long something was awaited that could have arrived since a time, and how long nothing could. Never more than
 * what has passed: a time that the clock has shown twice counts as the later one.
 */
export function elapsedSince(time: KnownTime, from: number): { ms: number; missedMs: number } {
  const { now, interruptions, setBacks } = time;
  if (from > now) {
    const first = setBacks.findLastIndex((step) => step.from >= from);
    const setBackMs =
      first < 0 ? from - now : setBacks.slice(first).reduce((sum, step) => sum + step.from - step.to, 0);
    return { ms: now - from + setBackMs, missedMs: 0 };
  }
  const missedMs = interruptions.reduce(
    (sum, one) => sum + Math.max(0, Math.min(one.to, now) - Math.max(one.from, from)),
    0,
  );
  return { ms: now - from - missedMs, missedMs };
}

/** The time since which so much has passed, without interruptions. */
export function timeBefore({ now, interruptions }: KnownTime, ms: number): number {
  let from = now - ms;
  for (const one of interruptions.toSorted((a, b) => b.to - a.to))
    if (one.to > from && one.from < now) from -= Math.min(one.to, now) - one.from;
  return from;
}
