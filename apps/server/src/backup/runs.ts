import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { BackupScheduleSettings } from './settings.ts';
import type { BackupRunTable } from './tables.ts';

export type BackupRun = Selectable<BackupRunTable>;

/** Failed and removed backups are listed as long as they are among so many. */
const mostListed = 50;
/** A backup is late when the last good one is older than so many intervals. */
const lateAfterIntervals = 2;

export async function beginRun(
  { query }: Database,
  run: Pick<BackupRun, 'file' | 'instance' | 'started_at'>,
): Promise<void> {
  await query
    .insertInto('backup')
    .values({ ...run, ended_at: null, bytes: 0, problem: '' })
    .execute();
}

export async function endRun(
  { query }: Database,
  { file, ...ended }: Pick<BackupRun, 'file' | 'ended_at' | 'bytes' | 'problem'>,
): Promise<void> {
  await query.updateTable('backup').set(ended).where('file', '=', file).execute();
}

/** Ends what an earlier process has begun. */
export async function endAbandonedRuns({ query }: Database, endedAt: number): Promise<void> {
  const problem = 'The server stopped while it wrote this backup.';
  await query.updateTable('backup').set({ ended_at: endedAt, problem }).where('ended_at', 'is', null).execute();
}

/** The newest first. */
export const listRuns = ({ query }: Database, most = mostListed): Promise<BackupRun[]> =>
  query.selectFrom('backup').selectAll().orderBy('started_at', 'desc').limit(most).execute();

/** Removes rows whose file was removed, and old failures. */
export async function forgetRuns(database: Database, removed: readonly string[]): Promise<void> {
  const old = (await listRuns(database, 10 * mostListed)).slice(mostListed).map(({ file }) => file);
  const files = [...removed, ...old];
  if (files.length > 0) await database.query.deleteFrom('backup').where('file', 'in', files).execute();
}

/** What is wrong with scheduled backups; undefined when nothing is. */
export async function backupProblem(
  database: Database,
  { backupDir, backupEvery }: Pick<BackupScheduleSettings, 'backupDir' | 'backupEvery'>,
  now: number,
): Promise<{ since: number; text: string } | undefined> {
  if (backupDir === '') return undefined;
  const runs = (await listRuns(database)).filter((run) => run.ended_at !== null);
  const lastGood = runs.findIndex(({ problem }) => problem === '');
  const failed = lastGood < 0 ? runs : runs.slice(0, lastGood);
  if (failed.length > 0) return { since: failed.at(-1)!.ended_at!, text: failed[0]!.problem };
  const lateSince = (runs[lastGood]?.ended_at ?? now) + lateAfterIntervals * backupEvery;
  return lateSince < now ? { since: lateSince, text: 'No backup was written in time.' } : undefined;
}
