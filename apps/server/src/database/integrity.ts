import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { commandLineOf } from '../command-line-of.ts';
import type { Metrics } from '../metrics.ts';

/** Known damage to the stored data. */
export interface Integrity {
  /** Empty while no damage was found. */
  findings: readonly string[];
  stop: () => void;
}

/** The start has priority over the check. */
const afterMs = 10_000;
const program = fileURLToPath(new URL('check-process.ts', import.meta.url));

/**
 * Checks the embedded database once after the start, in a separate process with the lowest priority, because reading
 * all of it takes long. PostgreSQL checks its own pages.
 */
export function watchIntegrity(
  file: string | undefined,
  { log, metrics, delayMs = afterMs }: { log: Logger; metrics: Metrics; delayMs?: number },
): Integrity {
  const stopping = new AbortController();
  const integrity = { findings: [] as readonly string[], stop: () => stopping.abort() };
  metrics.gauge('database_findings', 'Damages that the check after the start found.', () => integrity.findings.length);
  if (file === undefined) return integrity;
  const check = () => {
    const args = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=128', program, file];
    execFile(process.execPath, args, { signal: stopping.signal, env: {} }, (error, stdout) => {
      if (stopping.signal.aborted) return;
      if (error) return log.warn({ err: error }, 'the database could not be checked');
      integrity.findings = JSON.parse(stdout) as string[];
      if (integrity.findings.length === 0) log.debug('the database is sound');
      else log.error({ findings: integrity.findings }, damaged);
    });
  };
  const timer = setTimeout(check, delayMs).unref();
  stopping.signal.addEventListener('abort', () => clearTimeout(timer));
  return integrity;
}

export const damaged = `The database is damaged: stop Hilltop, keep a copy of the data directory, run "${commandLineOf('start', '--check')}" and restore the last backup that passes it.`;
