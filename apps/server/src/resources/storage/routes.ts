import { statfs } from 'node:fs/promises';
import { type Operations, type StoragePartName, storageParts } from '@hilltop/contract';
import { backupProblem, listRuns } from '../../backup/runs.ts';
import type { BackupScheduleSettings } from '../../backup/settings.ts';
import type { Database } from '../../database/database.ts';
import type { History } from '../../history/history.ts';
import type { HistorySettings } from '../../history/settings.ts';
import type { Handlers } from '../../http/call.ts';

interface StorageRoutesDependencies {
  config: BackupScheduleSettings &
    HistorySettings & { data: string; databaseURL: string; trashDays: number; auditDays: number; eventLogKeep: number };
  database: Database;
  history: Pick<History, 'storageSizes'>;
  clock: { now: () => Date; monotonicMs: () => number };
}

const cachedForMs = 5000;
const dayMs = 86_400_000;

const iso = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : new Date(ms).toISOString());

/** How much this installation stores, what limits it, and its backups. */
export function storageRoutes({
  config,
  database,
  history,
  clock,
}: StorageRoutesDependencies): Handlers<Operations['storage']> {
  let cached: { at: number; sizes: ReturnType<History['storageSizes']> } | undefined;
  const sizes = () => {
    const now = clock.monotonicMs();
    if (!cached || now - cached.at > cachedForMs) cached = { at: now, sizes: history.storageSizes() };
    return cached.sizes;
  };
  const limits: Partial<Record<StoragePartName, { days?: number; bytes?: number }>> = {
    EVENT_LOG: { days: config.eventLogKeep / dayMs },
    HISTORY: { days: config.historyDays, bytes: config.historySize },
    SERIES: { days: config.seriesDays },
    TRASH: { days: config.trashDays },
    AUDIT: { days: config.auditDays },
  };
  return {
    get: async () => {
      const { bavail, blocks, bsize } = await statfs(config.data);
      const now = clock.now().getTime();
      const problem = await backupProblem(database, config, now);
      return {
        isEmbedded: config.databaseURL === '',
        diskBytes: blocks * bsize,
        freeBytes: bavail * bsize,
        parts: (await sizes()).map(({ part, bytes, oldestAt }) => ({
          part,
          isSizeKnown: bytes !== undefined,
          bytes: bytes ?? 0,
          oldestAt: iso(oldestAt),
          limitDays: limits[part]?.days ?? 0,
          limitBytes: limits[part]?.bytes ?? 0,
          settings: [...storageParts[part].settings],
        })),
        backupDirectory: config.backupDir,
        backupHours: config.backupEvery / 3_600_000,
        backupKeep: config.backupKeep,
        backupProblem: problem?.text ?? '',
        backups: (await listRuns(database)).map((run) => ({
          file: run.file,
          instance: run.instance,
          startedAt: iso(run.started_at),
          endedAt: iso(run.ended_at),
          bytes: run.bytes,
          problem: run.problem,
        })),
      };
    },
  };
}
