import type { Logger } from 'pino';

/** Synchronized clocks differ by less. */
const toleratedMs = 500;

/** When a question was asked by the clock here, answered by the clock of the database, and the answer received here. */
interface TimeReading {
  askedAtMs: number;
  databaseMs: number;
  answeredAtMs: number;
}

/** How far the clock of the database differs from the one here. */
export class ClockOffset {
  readonly #log: Pick<Logger, 'warn'>;
  #ms = 0;

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** To be added to the clock here; 0 while the clocks hardly differ. */
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
        'the clock here is not that of the database: set it by NTP',
      );
  }
}
