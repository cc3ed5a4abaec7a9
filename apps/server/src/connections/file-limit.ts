import { readFileSync } from 'node:fs';

/** How many files and connections this process may have open; Infinity when the system reports no limit. */
export function readFileLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** A lower limit is close to what some hundred browsers and gateways need. */
const plenty = 4096;

/** What the operator should do about a low limit; undefined when it is high enough. */
export function fileLimitWarning(limit: number): string | undefined {
  if (limit >= plenty) return undefined;
  return `only ${limit} files and connections may be open at once: raise it to ${plenty} or more (ulimit -n, LimitNOFILE= of systemd)`;
}
