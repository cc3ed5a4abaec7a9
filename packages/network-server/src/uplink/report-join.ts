import { bytesOf } from '@hilltop/protobuf';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';

/** Reports a join with its join-accept, where the settings say so, and marks this in the session. */
export async function reportJoin(
  network: Network,
  session: DeviceSession,
  uplink: Uplink,
  { serviceProfileID }: DeviceRecord,
): Promise<Effect[]> {
  if (!network.settings.joinEventAtJoinAccept) return [];
  const { devEUI, devAddr } = session;
  const serviceProfile = await network.state.get('serviceProfile', serviceProfileID);
  const rxInfo = serviceProfile?.addGwMetadata ? uplink.receptions.map((reception) => reception.rxInfo) : [];
  const { txInfo, dr } = uplink;
  const join = { devEui: bytesOf(devEUI), devAddr: bytesOf(devAddr), rxInfo, txInfo, dr };
  const effects = await effectOf(network, network.applicationServer.handleJoin(join), devEUI);
  if (effects.length > 0) session.isJoinReported = true;
  return effects;
}
