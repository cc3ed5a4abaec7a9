import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { commandLineOf } from '../command-line-of.ts';
import type { Metrics } from '../metrics.ts';
import { isDamage } from './storage-failure.ts';

/** Known damage to the stored data. */
export interface Integrity {
  /** Empty while no damage was found. */
  findings: readonly string[];
  /** Whether the work for an uplink failed because of damage: uplinks are refused until the next start. */
  refusesUplinks: boolean;
  /** Receives an error that prevented the work for an uplink. */
  noteFailure: (error: unknown) => void;
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
  const integrity = {
    findings: [] as readonly string[],
    refusesUplinks: false,
    noteFailure: (error: unknown) => {
      if (integrity.refusesUplinks || !isDamage(error)) return;
      integrity.refusesUplinks = true;
      integrity.findings = [...integrity.findings, refusal];
      log.error({ err: error }, `${refusal} ${damaged}`);
    },
    stop: () => stopping.abort(),
  };
  metrics.gauge('database_findings', 'Damage to the database that was found.', () => integrity.findings.length);
  if (file === undefined) return integrity;
  const check = () => {
    const args = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=128', program, file];
    execFile(process.execPath, args, { signal: stopping.signal, env: {} }, (error, stdout) => {
      if (stopping.signal.aborted) return;
      if (error) return log.warn({ err: error }, 'the database could not be checked');
      const found = JSON.parse(stdout) as string[];
      integrity.findings = integrity.refusesUplinks ? [refusal, ...found] : found;
      if (integrity.findings.length === 0) log.debug('the database is sound');
      else log.error({ findings: integrity.findings }, damaged);
    });
  };
  const timer = setTimeout(check, delayMs).unref();
  stopping.signal.addEventListener('abort', () => clearTimeout(timer));
  return integrity;
}

const refusal = 'Uplinks are refused, because one could not be processed.';

export const damaged = `The database is damaged: stop Hilltop, keep a copy of the data directory, run "${commandLineOf('start', '--check')}" and restore the last backup that passes it.`;
