import { encryptAgain } from '../downlink/queue.ts';
import { dropQueue } from '../downlink/report.ts';
import type { Network } from '../network/network.ts';
import { newActivationOf } from '../session/new-activation.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Write } from '../state/state.ts';

/**
 * Saves the session as it is when the writes are committed: later changes to `session` are stored too. The
 * first uplink of a pending or replaced session makes it the current one: items that were queued before the join are
 * dropped with the old session, items that were queued since then move to the new one. A session that was never used
 * ends without its queue: its device did not receive that join-accept, and joined again.
 */
export async function proveSession(
  network: Network,
  session: DeviceSession,
): Promise<{ writes: Write[]; effects: Effect[] }> {
  const save: Write = { kind: 'saveSession', session };
  if (session.role === 'current') return { writes: [save], effects: [] };
  session.role = 'current';
  const { devEUI } = session;
  const to = newActivationOf(session);
  const { current } = await network.state.sessions(devEUI);
  const from = current && newActivationOf(current);
  const moving = (await network.state.queue(devEUI)).filter(({ isForNextSession, sessionID }) => {
    return isForNextSession || (from && sessionID === current?.id);
  });
  const moved = moving.length > 0 && to ? await encryptAgain(network, session, moving, { from, to }) : [];
  const { writes, effects } = await dropQueue(network, devEUI, 'REJOINED', moved);
  return { writes: [save, ...writes], effects };
}
