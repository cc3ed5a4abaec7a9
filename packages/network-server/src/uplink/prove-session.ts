import { encryptAgain } from '../downlink/queue.ts';
import type { Network } from '../network.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Write } from '../state/state.ts';

/**
 * Saves the session of an uplink. The first one under a pending session makes it the current one: what was queued before
 * the join ends with the old one, what was queued since then goes over to the new one.
 */
export async function saveProven(network: Network, session: DeviceSession): Promise<Write[]> {
  const save: Write = { kind: 'saveSession', session };
  if (session.role === 'current') return [save];
  session.role = 'current';
  const { devEUI, devAddr, keys } = session;
  const since = (await network.state.queue(devEUI)).filter(({ isForNextSession }) => isForNextSession);
  const next = keys.appSKey && { devAddr: Uint8Array.fromHex(devAddr), appSKey: keys.appSKey };
  const moved = since.length > 0 && next ? await encryptAgain(network, session, since, next) : [];
  const inserts = moved.map((item): Write => ({ kind: 'insertQueueItem', item }));
  return [save, { kind: 'flushQueue', devEUI }, ...inserts];
}
