/**
 * A join-request: the application side checks it and derives the keys, the network server stores the nonce and the new
 * session.
 */
import { cFListFor, devAddrWithPrefix, isUplinkFrequency, type JoinRequestFrame } from '@hilltop/lorawan';
import { joinAcceptTransmission } from '../downlink/join-accept.ts';
import { dropQueue } from '../downlink/report.ts';
import { effectOf } from '../network/effect-of.ts';
import type { FrameLogEntry } from '../network/frame-log.ts';
import type { Network } from '../network/network.ts';
import { type JoinRefusalReason, refusalOf } from '../ports/join-refusals.ts';
import type { JoinAnswer, JoinRequest } from '../ports/join-server.ts';
import { lateCopyMs, type Uplink } from '../radio/uplink.ts';
import { isDevNonceCounter, versionOf } from '../session/session-version.ts';
import type { DeviceProfileRecord, DeviceRecord } from '../state/records.ts';
import type { DevNonceUse, Write } from '../state/state.ts';
import { type Decision, type Dropped, type DropReason, decisionOf } from './decision.ts';
import { deviceFrameOf } from './device-frame.ts';
import { sessionOfJoin } from './new-session.ts';
import { allowedReceptions } from './private-gateways.ts';
import { reportJoin } from './report-join.ts';

export async function decideJoin(network: Network, received: Uplink, frame: JoinRequestFrame): Promise<Decision> {
  const { devEUI, joinEUI, devNonce } = frame;
  const { region, wanted } = network;
  if (!isUplinkFrequency(region, received.txInfo.frequency, wanted.extraChannels)) {
    return decisionOf({ dropped: 'unknown-channel', devEUI });
  }
  const known = await findJoiner(network, received, devEUI);
  if ('dropped' in known) return decisionOf(known);
  const { device, deviceProfile, uplink, deviceFrame } = known;

  const refuse = async (dropped: DropReason, error: string, reason: JoinRefusalReason): Promise<Decision> => {
    const event = { devEui: Uint8Array.fromHex(devEUI), type: 'OTAA', error, fCnt: 0 } as const;
    const effects = await effectOf(network, network.applicationServer.handleError(event), devEUI);
    return decisionOf({ dropped, devEUI, effects, deviceFrame: { ...deviceFrame, refused: refusalOf(reason) } });
  };
  const use = { devEUI, joinEUI, joinType: 'join', devNonce } as const;
  const usedAt = await network.state.devNonceUsedAt(use);
  const sinceMs = usedAt === null ? null : network.clock.now().getTime() - usedAt;
  if (sinceMs !== null && sinceMs >= 0 && sinceMs < lateCopyMs) return decisionOf({ dropped: 'late-copy', devEUI });
  const request: JoinRequest = {
    joinType: 'join',
    phyPayload: uplink.phyPayload,
    devEUI,
    joinEUI,
    devNonce,
    ...offerFor(network, deviceProfile),
  };
  const answer = await network.joinServer.join(request);
  if (answer.result !== 'Success') return await refuse('join-refused', answer.description, ofJoinServer[answer.result]);
  if (usedAt !== null || (await isCountedBack(network, deviceProfile, use))) {
    return await refuse('nonce-used', 'validate dev-nonce error', 'DEV_NONCE_USED');
  }

  const { devAddr } = request;
  const { current } = await network.state.sessionsInBrief(devEUI);
  const session = sessionOfJoin(network, uplink, { request, deviceProfile, answer, current });
  const at = session.activatedAt;
  const writes: Write[] = [
    { kind: 'saveActivation', activation: { ...use, devAddr, at } },
    { kind: 'insertSession', session },
  ];
  const reported = await reportJoin(network, session, uplink, device);
  const dropped = current ? { writes: [], effects: [] } : await dropQueue(network, devEUI, 'REJOINED');
  writes.push(...dropped.writes);
  const { regParamsRevision } = deviceProfile;
  const { phyPayload, clear } = answer;
  return {
    dropped: null,
    devEUI,
    writes,
    effects: [...answer.effects, ...dropped.effects, ...reported],
    deviceFrame,
    response: null,
    joinAccept: () =>
      joinAcceptTransmission(network, uplink, { devEUI, devAddr, phyPayload, clear, regParamsRevision }),
  };
}

/** From LoRaWAN 1.0.4 on DevNonce is a counter: a lower one was replayed, or its device has lost it. */
async function isCountedBack({ state }: Network, profile: DeviceProfileRecord, use: DevNonceUse): Promise<boolean> {
  if (!isDevNonceCounter(profile)) return false;
  const highest = await state.highestDevNonce(use);
  return highest !== null && use.devNonce < highest;
}

const ofJoinServer = {
  UnknownDevEUI: 'UNKNOWN_TO_JOIN_SERVER',
  KeysMissing: 'NO_ROOT_KEYS',
  MICFailed: 'WRONG_KEY',
  Other: 'JOIN_SERVER',
} as const satisfies Record<Exclude<JoinAnswer['result'], 'Success'>, JoinRefusalReason>;

interface Joiner {
  device: DeviceRecord;
  deviceProfile: DeviceProfileRecord;
  uplink: Uplink;
  deviceFrame: FrameLogEntry;
}

/** The device that may join, with the gateways that it may use. */
async function findJoiner(network: Network, received: Uplink, devEUI: string): Promise<Joiner | Dropped> {
  const device = await network.state.get('device', devEUI);
  if (!device) return { dropped: 'unknown-device', devEUI };
  const receptions = await allowedReceptions(network, received.receptions, device.serviceProfileID);
  if (receptions.length === 0) return { dropped: 'private-gateways', devEUI };
  const uplink = { ...received, receptions };
  const deviceFrame = deviceFrameOf(network, uplink, devEUI, '');
  const deviceProfile = await network.state.get('deviceProfile', device.deviceProfileID);
  const refuse = (dropped: DropReason, reason: JoinRefusalReason) => {
    return { dropped, devEUI, deviceFrame: { ...deviceFrame, refused: refusalOf(reason) } };
  };
  if (!deviceProfile) return refuse('profile-missing', 'NO_DEVICE_PROFILE');
  if (!deviceProfile.supportsJoin) return refuse('join-not-supported', 'JOIN_NOT_SUPPORTED');
  if (device.isDisabled) return refuse('device-disabled', 'DEVICE_DISABLED');
  return { device, deviceProfile, uplink, deviceFrame };
}

/** The parameters in each join-accept. */
export function offerFor(network: Network, { macVersion }: Pick<DeviceProfileRecord, 'macVersion'>) {
  const { netID, region, wanted } = network;
  const { rx1DROffset, rx2DataRate, rxDelay } = wanted;
  return {
    macVersion,
    netID,
    devAddr: devAddrWithPrefix(netID, network.random(4).toHex()),
    dlSettings: { optNeg: versionOf({ macVersion }) === '1.1', rx1DROffset, rx2DataRate },
    rxDelay,
    cFList: cFListFor(region, { macVersion, ...wanted }),
  };
}
