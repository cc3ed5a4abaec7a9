import { isFor } from '../downlink/queue.ts';
import { reportItem } from '../downlink/report.ts';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Write } from '../state/state.ts';

/**
 * The device acknowledged the confirmed downlink `fCnt`, which was sent, whether or not its gateway has confirmed that.
 * An acknowledgement of anything else is ignored.
 */
export async function acknowledgeDownlink(
  network: Network,
  session: DeviceSession,
  fCnt: number,
): Promise<{ writes: Write[]; effects: Effect[] }> {
  const { devEUI } = session;
  const queue = await network.state.queue(devEUI);
  const item = queue.find(
    (one) => isFor(session, one) && one.confirmed && (one.hasLeft || one.isPending) && one.fCnt === fCnt,
  );
  if (!item) return { writes: [], effects: [] };
  const devEui = Uint8Array.fromHex(devEUI);
  const effect = network.applicationServer.handleDownlinkACK({ devEui, fCnt: item.fCnt, acknowledged: true });
  return {
    writes: [{ kind: 'deleteQueueItem', devEUI, id: item.id }],
    effects: [...(await effectOf(network, effect, devEUI)), reportItem(network, item, 'ACKNOWLEDGED')],
  };
}
