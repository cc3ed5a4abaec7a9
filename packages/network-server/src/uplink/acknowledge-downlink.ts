import type { Effect } from '../application-server.ts';
import { effectOf } from '../effect-of.ts';
import type { Network } from '../network.ts';
import { versionOf } from '../session-version.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Write } from '../state/state.ts';

/** The device acknowledged the last confirmed downlink; an acknowledgement of anything else means nothing. */
export async function acknowledgeDownlink(
  network: Network,
  session: DeviceSession,
): Promise<{ writes: Write[]; effects: Effect[] }> {
  const { devEUI } = session;
  const lastUsed = (versionOf(session) === '1.1' ? session.aFCntDown : session.nFCntDown) - 1;
  const queue = await network.state.queue(devEUI);
  const item = queue.find(({ isPending, fCnt }) => isPending && fCnt === lastUsed);
  if (!item) return { writes: [], effects: [] };
  const devEui = Uint8Array.fromHex(devEUI);
  const told = network.applicationServer.handleDownlinkACK({ devEui, fCnt: item.fCnt, acknowledged: true });
  return {
    writes: [{ kind: 'deleteQueueItem', devEUI, id: item.id }],
    effects: await effectOf(network, told, devEUI),
  };
}
