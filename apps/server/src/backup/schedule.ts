import { execFile } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { bareEnvironment } from '../bare-environment.ts';
import type { Database } from '../database/database.ts';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';
import type { BackupSettings } from './back-up.ts';
import { beginRun, endAbandonedRuns, endRun, forgetRuns, listRuns } from './runs.ts';
import type { BackupScheduleSettings } from './settings.ts';

interface ScheduleDependencies {
  config: BackupSettings & BackupScheduleSettings;
  database: Database;
  clock: { now: () => Date };
  /** The name of this instance. */
  instance: string;
  log: Pick<Logger, 'info' | 'error'>;
  metrics: Pick<Metrics, 'count' | 'gauge'>;
}

const roundEveryMs = 60_000;
/** After a failure, unless backups are more frequent. */
const retryAfterMs = 3_600_000;
const longestProblem = 500;
const program = fileURLToPath(new URL('../backup.ts', import.meta.url));
const ownFile = /^hilltop-[\dTZ-]+\.backup(\.[\da-f]+\.partial)?$/;

/** Writes backups in a process of its own, while this instance has the lease. */
export class BackupSchedule {
  readonly #needs: ScheduleDependencies;
  readonly #rounds: PeriodicRounds;
  #stopping = new AbortController();
  #lastGoodAt = 0;

  constructor(needs: ScheduleDependencies) {
    this.#needs = needs;
    const failed = (error: unknown) => needs.log.error({ err: error }, 'scheduled backups could not be considered');
    this.#rounds = new PeriodicRounds({ everyMs: roundEveryMs, round: () => this.round(), failed });
    needs.metrics.gauge(
      'backup_last_success_timestamp_seconds',
      'When the last scheduled backup ended, in seconds since 1970.',
      () => this.#lastGoodAt / 1000,
    );
  }

  async start(): Promise<void> {
    if (this.#needs.config.backupDir === '') return;
    this.#stopping = new AbortController();
    await endAbandonedRuns(this.#needs.database, this.#now());
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
  }

  /** Writes a backup if one is due. */
  async round(): Promise<void> {
    const { config, database } = this.#needs;
    const [last] = await listRuns(database);
    const pause = last?.problem ? Math.min(retryAfterMs, config.backupEvery) : config.backupEvery;
    if (last?.problem === '') this.#lastGoodAt = last.ended_at ?? 0;
    if (last && this.#now() - last.started_at < pause) return;
    await this.#backUp();
  }

  async #backUp(): Promise<void> {
    const { config, database, instance, log, metrics } = this.#needs;
    const startedAt = this.#now();
    const file = `hilltop-${new Date(startedAt).toISOString().replaceAll(/[:.]/g, '-')}.backup`;
    await beginRun(database, { file, instance, started_at: startedAt });
    const problem = await this.#run(join(resolve(config.backupDir), file));
    // A process that stops leaves the row to the next one.
    if (this.#stopping.signal.aborted) return;
    const bytes = problem === '' ? (await stat(join(config.backupDir, file))).size : 0;
    await endRun(database, { file, ended_at: this.#now(), bytes, problem });
    metrics.count('backups', { outcome: problem === '' ? 'written' : 'failed' });
    if (problem !== '') return log.error({ file, problem }, 'a scheduled backup failed');
    this.#lastGoodAt = this.#now();
    log.info({ file, bytes, ms: this.#now() - startedAt }, 'a scheduled backup was written');
    await forgetRuns(database, await this.#removeOld());
  }

  /** Answers why it failed; empty otherwise. */
  #run(file: string): Promise<string> {
    const { data, databaseURL, backupDir } = this.#needs.config;
    const env = {
      ...bareEnvironment,
      PATH: process.env['PATH'],
      HILLTOP_DATA: resolve(data),
      ...(databaseURL !== '' && { HILLTOP_DATABASE_URL: databaseURL }),
    };
    const args = ['--disable-warning=ExperimentalWarning', '--v8-pool-size=1', program, file];
    // The directory has no file of settings.
    const options = { cwd: resolve(backupDir), env, signal: this.#stopping.signal };
    return new Promise((ended) => {
      execFile(process.execPath, args, options, (error, _output, errors) => {
        if (!error) return ended('');
        const isMissing = error.code === 'ENOENT';
        const text = isMissing ? `The directory ${backupDir} (HILLTOP_BACKUP_DIR) does not exist.` : errors.trim();
        ended((text || error.message).slice(0, longestProblem));
      });
    });
  }

  /** Removes all but the newest backups, and what an interrupted one has left. Answers their names. */
  async #removeOld(): Promise<string[]> {
    const { backupDir, backupKeep } = this.#needs.config;
    const names = (await readdir(backupDir)).filter((name) => ownFile.test(name)).sort();
    const partial = names.filter((name) => name.endsWith('.partial'));
    const whole = names.filter((name) => name.endsWith('.backup'));
    const removed = [...partial, ...whole.slice(0, -backupKeep)];
    for (const name of removed) await rm(join(backupDir, name), { force: true });
    return removed;
  }

  #now(): number {
    return this.#needs.clock.now().getTime();
  }
}
