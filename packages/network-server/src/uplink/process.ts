/** One collected uplink from beginning to end: prepare, decide, write, and only then show and answer. */
import { decodeFrame, type Frame, FrameError } from '@hilltop/lorawan';
import type { Network } from '../network.ts';
import type { Collected } from './collect.ts';
import { decideDataUplink } from './data.ts';
import { type Decision, decisionOf } from './decision.ts';
import { decideJoin } from './join.ts';
import { prepareUplink } from './prepare.ts';
import { decideRejoin } from './rejoin.ts';
import type { Uplink } from './uplink.ts';

const attempts = 4;

/**
 * Resolves with what was decided when it is on disk. A decision that lost its race against another one for the same
 * device is made again: a replayed frame is then seen as such. Rejects when nothing could be written; the uplink is
 * still in the journal then.
 */
export async function processUplink(network: Network, collected: Collected): Promise<Decision> {
  const uplink = await prepareUplink(network, collected);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const decision = 'dropped' in uplink ? decisionOf(uplink) : await decide(network, uplink, collected);
    if (collected.isRecovered) decision.response = null;
    const writes = [...decision.writes, { kind: 'finish', ids: collected.journalIDs } as const];
    if (await network.state.commit({ writes, effects: decision.effects })) {
      if (decision.response) decision.response.session.revision += 1;
      conclude(network, decision);
      return decision;
    }
    network.count('uplinks_contended');
  }
  throw new Error('The session of the device kept changing.');
}

async function decide(network: Network, uplink: Uplink, { isRecovered }: Collected): Promise<Decision> {
  const frame = frameOf(uplink.phyPayload);
  const isJoin = frame?.mType === 'JoinRequest' || frame?.mType === 'RejoinRequest';
  if (isJoin && isRecovered) return decisionOf({ dropped: 'too-late' });
  switch (frame?.mType) {
    case 'UnconfirmedDataUp':
    case 'ConfirmedDataUp':
      return await decideDataUplink(network, uplink, frame);
    case 'JoinRequest':
      return await decideJoin(network, uplink, frame);
    case 'RejoinRequest':
      return await decideRejoin(network, uplink, frame);
    case 'Proprietary':
      return decisionOf({ dropped: 'proprietary' });
    case undefined:
      return decisionOf({ dropped: 'not-a-frame' });
    default:
      return decisionOf({ dropped: 'downlink-type' });
  }
}

function frameOf(phyPayload: Uint8Array): Frame | null {
  try {
    const frame = decodeFrame(phyPayload);
    return frame.major === 0 ? frame : null;
  } catch (error) {
    if (error instanceof FrameError) return null;
    throw error;
  }
}

/** Counts and logs once, shows the frame, sends a join-accept. */
function conclude(network: Network, { dropped, devEUI, deviceFrame, transmission }: Decision): void {
  if (dropped) {
    network.count('uplinks_dropped', { reason: dropped });
    const level = devEUI ? 'info' : 'debug';
    network.log[level]({ devEUI, reason: dropped }, 'An uplink was dropped.');
    return;
  }
  network.count('uplinks');
  if (deviceFrame && devEUI) network.deviceFrames.add(devEUI, deviceFrame);
  if (!transmission) return;
  network.transmissions.add(transmission);
  network.count('downlinks');
  if (!network.gateways.send(transmission.frame.gatewayID.toHex(), transmission.frame)) {
    network.count('downlinks_without_gateway');
  }
}
