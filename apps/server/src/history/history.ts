import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { SteadyTime } from '../database/steady-time.ts';
import { formatCursor, noGaps, parseCursor } from '../event-log/cursor.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import type { HistoryPage } from './read-page.ts';
import type { HistorySettings } from './settings.ts';
import type { StoreSettings } from './stores.ts';
import { HistoryFailure, HistoryWorker } from './worker.ts';
import type { HistoryRead } from './worker-calls.ts';

/** The events of devices: those of the event log, and those that are sealed. */
export interface History {
  read(request: HistoryRead): Promise<HistoryPage>;
  /** Seals what waits in the log, everything with `isForced`, and removes what is too old or too much. */
  round(given?: { isForced?: boolean }): Promise<void>;
}

/** Work that one instance does. */
export interface RunningHistory extends History {
  start(): void;
  /** Resolves when no round runs any more. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

interface HistoryDependencies {
  config: HistorySettings & Pick<StoreSettings, 'databaseURL'>;
  files: Pick<StoreSettings, 'databaseFile'> & { historyFile: string };
  eventLog: Pick<EventLog, 'end' | 'retain'>;
  steadyTime: SteadyTime;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

const roundEveryMs = 60_000;
/** What is too old or too much is removed in every tenth round. */
const roundsPerCut = 10;
const dayMs = 86_400_000;
/** The longest pause of sealing after it has failed several times in a row. */
const mostRoundsOfPause = 8;
/** Below one of these the oldest events are removed, whatever the settings. */
const leastFree = { bytes: 1e9, share: 0.05 };

export function createHistory(needs: HistoryDependencies): RunningHistory {
  const { config, files, eventLog, steadyTime, log, metrics } = needs;
  const { databaseURL, history: isSealing } = config;
  const historyFile = isSealing ? files.historyFile : undefined;
  const worker = new HistoryWorker({ databaseURL, databaseFile: files.databaseFile, historyFile }, needs);
  const size = { events: 0, bytes: 0, waiting: 0 };
  let sealedUpTo = 0;
  let rounds = 0;
  /** Failed attempts to seal since the last one that succeeded, and the round of the next attempt. */
  const sealing = { failures: 0, nextRound: 0 };
  let isCutFailing = false;
  /** The setting may be lower than in the last process. */
  let areDevicesLimited = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  metrics.gauge('history_events', 'Sealed events.', () => size.events);
  metrics.gauge('history_bytes', 'Size of the sealed events.', () => size.bytes);
  metrics.gauge('history_waiting_events', 'Events of the log that are not sealed yet.', () => size.waiting);

  // Events stay in the log until they are sealed.
  const release = isSealing
    ? eventLog.retain(async () => {
        sealedUpTo = await worker.call('sealedPosition').catch(() => sealedUpTo);
        return [formatCursor({ pos: sealedUpTo, gaps: noGaps })];
      })
    : () => undefined;

  async function sealWaiting(isForced: boolean): Promise<void> {
    const { pos, gaps } = parseCursor(await eventLog.end());
    // Below the first gap no event can appear any more.
    const upTo = Math.min(pos, ...[...gaps].map((gap) => gap - 1));
    const now = steadyTime.now();
    const sealed = await worker.call('seal', { upTo, now, perDevice: config.historyEvents, isForced });
    sealedUpTo = sealed.position;
    size.waiting = sealed.waiting;
    metrics.count('history_events_sealed', {}, sealed.sealed);
    metrics.count('history_events_removed', { reason: 'count' }, sealed.removed);
    if (sealed.isStuck) throw new Error(`sealing makes no progress at position ${sealed.position} of the event log`);
  }

  /** Answers why it failed. With each failure the pause doubles; only a full disk is tried again with the next round. */
  async function trySealing(isForced: boolean): Promise<unknown> {
    if (!isForced && rounds < sealing.nextRound) return undefined;
    try {
      await sealWaiting(isForced);
      sealing.failures = 0;
      return undefined;
    } catch (error) {
      metrics.count('history_rounds_failed');
      if (sealing.failures === 0)
        log.error({ err: error, position: sealedUpTo }, 'events could not be sealed; they stay in the event log');
      const pause = isFullDisk(error) ? 1 : Math.min(2 ** sealing.failures, mostRoundsOfPause);
      sealing.failures += 1;
      sealing.nextRound = rounds + pause;
      return error;
    }
  }

  async function isDiskLow(): Promise<boolean> {
    if (databaseURL !== '') return false;
    const { bavail, blocks, bsize } = await statfs(dirname(files.historyFile));
    return bavail * bsize < leastFree.bytes || bavail < blocks * leastFree.share;
  }

  async function cutTooMuch(isDiskFull: boolean): Promise<void> {
    const isLow = isDiskFull || (await isDiskLow());
    const before = config.historyDays === 0 ? undefined : Math.floor(steadyTime.now() - config.historyDays * dayMs);
    const { removed, events, bytes } = await worker.call('cut', {
      before,
      perDevice: areDevicesLimited ? 0 : config.historyEvents,
      mostBytes: config.historySize,
      isDiskLow: isLow,
    });
    areDevicesLimited = true;
    isCutFailing = false;
    Object.assign(size, { events, bytes });
    for (const [reason, count] of Object.entries(removed)) metrics.count('history_events_removed', { reason }, count);
    if (isLow && removed.size > 0)
      log.warn({ events: removed.size }, 'the disk is nearly full: the oldest events of the history were removed');
  }

  async function round({ isForced = false } = {}): Promise<void> {
    if (!isSealing) return;
    const failure = await trySealing(isForced);
    const isDiskFull = isFullDisk(failure);
    const isCutting = isForced || isDiskFull || rounds % roundsPerCut === 0;
    rounds += 1;
    if (isCutting) await cutTooMuch(isDiskFull);
    if (isForced && failure !== undefined && !isDiskFull) throw failure;
  }

  function runRound(): void {
    running ??= round()
      .catch((error: unknown) => {
        metrics.count('history_rounds_failed');
        if (!isCutFailing) log.error({ err: error }, 'old events of the history could not be removed');
        isCutFailing = true;
      })
      .finally(() => {
        running = undefined;
      });
  }

  return {
    read: (request) =>
      worker.call('read', request).catch((error: unknown) => {
        if (!(error instanceof HistoryFailure)) throw error;
        metrics.count('history_reads_failed');
        log.error({ err: error }, 'the history of a device could not be read');
        throw refusal('HISTORY_BUSY');
      }),
    start: () => {
      timer ??= setInterval(runRound, roundEveryMs);
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      await running;
    },
    round,
    close: async () => {
      release();
      await worker.close();
    },
  };
}

const isFullDisk = (error: unknown) => error instanceof HistoryFailure && error.isDiskFull;
