/** Ends sessions whose device has neither sent nor received anything for as long as the settings say. */

import { dropQueue } from '../downlink/report.ts';
import type { Network } from '../network/network.ts';
import type { KeyedQueues } from '../platform/keyed-queues.ts';
import type { Settings } from '../settings/settings.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Write } from '../state/state.ts';

export interface SilentSessionCleanup {
  start(): void;
  /** Resolves when the current check is done. */
  stop(): Promise<void>;
}

/** A setting in days needs no more frequent checks. */
const everyMs = 6 * 60 * 60 * 1000;
const firstMs = 5 * 60 * 1000;
/** Sessions in one query; the event loop handles frames in between. */
const perQuery = 200;
const pauseMs = 200;
const dayMs = 24 * 60 * 60 * 1000;

/** Whether the setting ends a session at that time. */
export function isSilent(
  { activatedAt, lastUplinkAt, lastDownlinkAt }: Omit<DeviceSession, 'keys'>,
  { deviceSessionDays }: Settings,
  at: number,
): boolean {
  const last = Math.max(activatedAt, lastUplinkAt ?? 0, lastDownlinkAt ?? 0);
  return deviceSessionDays > 0 && last + deviceSessionDays * dayMs < at;
}

/** Checks all sessions regularly, a few at once. */
export function createSilentSessionCleanup(network: Network, queues: KeyedQueues): SilentSessionCleanup {
  const { clock, state, log, count } = network;
  let cancel = () => {};
  let isRunning = false;
  let checking = Promise.resolve();

  function next(afterMs: number, devEUI: string): void {
    if (!isRunning) return;
    cancel = clock.after(afterMs, () => {
      checking = check(devEUI);
    });
  }

  async function check(after: string): Promise<void> {
    if (network.settings.deviceSessionDays === 0) return next(everyMs, '');
    try {
      const at = await network.removalTime();
      const sessions = await state.sessionsAfter(after, perQuery);
      for (const session of sessions.filter((one) => isSilent(one, network.settings, at))) {
        await queues.run(session.devEUI, () => end(network, session.devEUI, at));
      }
      const last = sessions.at(-1);
      if (sessions.length === perQuery && last) next(pauseMs, last.devEUI);
      else next(everyMs, '');
    } catch (error) {
      count('silent_sessions_unread');
      log.error({ err: error }, 'Sessions of silent devices could not be ended; the next try follows.');
      next(everyMs, '');
    }
  }

  return {
    start() {
      isRunning = true;
      next(firstMs, '');
    },
    async stop() {
      isRunning = false;
      cancel();
      await checking;
    },
  };
}

/**
 * Ends a session and deletes its queued downlinks. A session that was used or replaced in the meantime is not ended.
 */
async function end(network: Network, devEUI: string, at: number): Promise<void> {
  const { state, settings, log, count } = network;
  const { current, pending, replaced } = await state.sessions(devEUI);
  if (!current || [current, pending, replaced].some((one) => one && !isSilent(one, settings, at))) return;
  // Earlier versions did not store when a device was received: its silence begins now.
  const isUnknown = current.lastUplinkAt === null && current.uplinkHistory.length > 0;
  const session = isUnknown ? { ...current, lastUplinkAt: at } : current;
  const writes: Write[] = [{ kind: 'saveSession', session }];
  const dropped = isUnknown ? { writes: [], effects: [] } : await dropQueue(network, devEUI, 'SESSION_REPLACED');
  if (!isUnknown) writes.push({ kind: 'deleteSessions', devEUI }, ...dropped.writes);
  if (!(await state.commit({ writes, effects: dropped.effects })) || isUnknown) return;
  count('silent_sessions_ended');
  log.info({ devEUI, days: settings.deviceSessionDays }, 'The device was silent for so long that its session ended.');
}
