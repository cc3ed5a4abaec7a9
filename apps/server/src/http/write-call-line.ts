import type { Logger } from 'pino';
import type { LimitedLines } from '../line-limit.ts';

export interface CallLines {
  log: Pick<Logger, 'info'>;
  /** For lines of refused calls whose caller is not known: anybody can make them. */
  refusedCallLines: LimitedLines;
}

interface CallLine {
  requestID: string;
  operation: string;
  by?: 'gRPC';
  /** `user 3`; undefined when it is not known. */
  caller: string | undefined;
  /** The status of HTTP. */
  status: number;
}

/** Writes the one log line of a call that took `ms`. */
export function writeCallLine({ log, refusedCallLines }: CallLines, line: CallLine, ms: number): void {
  const write = () => log.info({ ...line, ms: Math.round(ms * 10) / 10 }, 'call');
  const isRefused = line.status >= 400 && line.status < 500;
  if (line.caller === undefined && isRefused) refusedCallLines(write);
  else write();
}
