import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';

/** Lines of one kind per second. */
const mostPerSecond = 10;
const windowMs = 1000;

/** Writes a log line, unless many of its kind were written in this second. */
export type LimitedLines = (write: () => void) => void;

/**
 * Limits the log lines that strangers can cause: ten a second, then one line with the number of those left out. `kind`
 * names them in that line.
 */
export function createLineLimit(
  { clock, log }: { clock: Clock; log: Pick<Logger, 'warn'> },
  kind: string,
): LimitedLines {
  let [endsAt, written, leftOut] = [Number.NEGATIVE_INFINITY, 0, 0];

  function stateLeftOut(): void {
    log.warn({ kind, leftOut }, 'log lines were left out: too many of this kind in a second');
    leftOut = 0;
  }

  return (write) => {
    const now = clock.monotonicMs();
    if (now >= endsAt) [endsAt, written] = [now + windowMs, 0];
    if (written < mostPerSecond) {
      written += 1;
      return write();
    }
    if (leftOut === 0) clock.after(endsAt - now, stateLeftOut);
    leftOut += 1;
  };
}
