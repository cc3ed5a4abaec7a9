/**
 * Reports frames of a device for which the `as` service has no call: join-requests, frames that were refused, and those in
 * which a relay forwards one.
 */
import { type Frame, isDataFrame } from '@hilltop/lorawan';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { FrameReport, LoggedFrame } from '../ports/application-server.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { Effect } from '../state/effect.ts';
import { radioOf } from './data.ts';
import type { Decision, DropReason } from './decision.ts';
import { loggedFrameOf } from './device-frame.ts';
import { allowedReceptions } from './private-gateways.ts';

/** Frames that a device did not send, repeats as it should, or whose device is unknown are not reported. */
const unreported: ReadonlySet<DropReason> = new Set([
  'not-a-frame',
  'unknown-gateway',
  'bad-crc',
  'unknown-data-rate',
  'downlink-type',
  'unknown-device',
  'late-copy',
  'repetition',
  'proprietary',
  'too-late',
]);

export async function frameReportsOf(
  network: Network,
  { uplink, frame }: { uplink: Uplink; frame: Frame | null },
  { dropped, devEUI, joinAccept, forwarded, deviceFrame }: Decision,
): Promise<Effect[]> {
  if (frame === null || devEUI === null) return [];
  const isRefused = dropped !== null && !unreported.has(dropped);
  if (!isRefused && joinAccept === null && !forwarded) return [];
  const device = await network.state.get('device', devEUI);
  // The network may have received and processed the device's own frame.
  const isRelayedCopy = isRefused && uplink.receptions.some(({ isRelay }) => isRelay);
  if (!device || isRelayedCopy) return [];
  const leftOut = isRefused ? network.dropLimit.leftOut(uplink, devEUI) : 0;
  if (leftOut === null) return [];
  const receptions = await allowedReceptions(network, uplink.receptions, device.serviceProfileID);
  const serviceProfile = await network.state.get('serviceProfile', device.serviceProfileID);
  const report: FrameReport = {
    devEUI,
    ...(isRefused && { dropped }),
    leftOut,
    frame: {
      direction: 'up',
      mType: frame.mType,
      ...identityOf(frame),
      frequency: uplink.txInfo.frequency,
      dr: uplink.dr,
    },
    txInfo: { up: uplink.txInfo },
    rxInfo: serviceProfile?.addGwMetadata ? receptions.map(({ rxInfo }) => rxInfo) : [],
    logged: deviceFrame ? loggedFrameOf(deviceFrame) : loggedOf(network, uplink),
    ...(receptions.length > 0 && { received: radioOf(network, { ...uplink, receptions }) }),
    mac: [],
  };
  return await effectOf(network, network.applicationServer.reportFrame(report), devEUI);
}

const loggedOf = ({ clock }: Network, { phyPayload }: Uplink): LoggedFrame => ({
  phyPayload,
  publishedAt: clock.now(),
});

function identityOf(frame: Frame) {
  if (isDataFrame(frame)) return { devAddr: frame.devAddr, fCnt: frame.fCnt };
  return frame.mType === 'JoinRequest' ? { devNonce: frame.devNonce } : {};
}
