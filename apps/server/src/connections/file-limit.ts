import { readFileSync } from 'node:fs';

/** How many files and connections this process may have open; Infinity where the system does not say. */
export function readFileLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** Below this, some hundred browsers and gateways' worth of connections come near it. */
const plenty = 4096;

/** What to do about a limit that is low; undefined when it is not. */
export function fileLimitWarning(limit: number): string | undefined {
  if (limit >= plenty) return undefined;
  return `only ${limit} files and connections may be open at once: raise it to ${plenty} or more (ulimit -n, LimitNOFILE= of systemd)`;
}
