import type { Logger } from 'pino';

/** The clocks of synchronized machines differ by less. */
const toleratedMs = 500;

/** The local time of the question, the time that the database answered, and the local time of the answer. */
interface TimeReading {
  askedAtMs: number;
  databaseMs: number;
  answeredAtMs: number;
}

/** How far the database clock differs from the local clock. */
export class ClockOffset {
  readonly #log: Pick<Logger, 'warn'>;
  #ms = 0;

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** To be added to the local clock; 0 while the clocks hardly differ. */
  get ms(): number {
    return this.#ms;
  }

  note({ askedAtMs, databaseMs, answeredAtMs }: TimeReading): void {
    const wasOff = this.#ms !== 0;
    if (databaseMs > answeredAtMs + toleratedMs) this.#ms = databaseMs - answeredAtMs;
    else if (databaseMs < askedAtMs - toleratedMs) this.#ms = databaseMs - askedAtMs;
    else this.#ms = 0;
    if (this.#ms !== 0 && !wasOff)
      this.#log.warn(
        { seconds: Math.round(this.#ms / 1000) },
        'the clock of this machine differs from the database clock: synchronize it by NTP',
      );
  }
}
