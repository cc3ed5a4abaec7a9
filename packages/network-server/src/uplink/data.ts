/** A data uplink, from the frame to its decision, which contains all writes and effects. Nothing is written here. */
import { airtime, type DataFrame, encodeFrame, modulationOf } from '@hilltop/lorawan';
import { bytesOf } from '@hilltop/protobuf';
import { responseTo } from '../downlink/class-a.ts';
import { freeAt } from '../downlink/class-c.ts';
import { scheduleQueue } from '../downlink/queue.ts';
import { locate } from '../geolocation/locate.ts';
import { handleMacCommands } from '../mac/handle.ts';
import { noteMacCommands } from '../mac/note.ts';
import type { ReceivedContext } from '../mac/rule.ts';
import type { DeviceContext } from '../network/device-context.ts';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { CounterStep, ReceptionQuality, UplinkRadio } from '../ports/application-server.ts';
import type { Uplink } from '../radio/uplink.ts';
import { forwardedUplink } from '../relay/forwarded.ts';
import { newActivationOf } from '../session/new-activation.ts';
import type { DeviceRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import { acknowledgeDownlink } from './acknowledge-downlink.ts';
import { decideRepeat } from './confirmed-repetition.ts';
import { type Decision, decisionOf } from './decision.ts';
import { deviceFrameOf, loggedFrameOf } from './device-frame.ts';
import { judgeFrame, type UplinkSender } from './find-session.ts';
import { openMacCommands } from './mac-commands.ts';
import { allowedReceptions } from './private-gateways.ts';
import { proveSession } from './prove-session.ts';
import { noteRadio, noteReceivers } from './radio-state.ts';

/** An accepted frame, and what the session knew before it. */
interface ReceivedFrame extends Pick<UplinkRadio, 'counter' | 'mac' | 'logged'> {
  frame: DataFrame;
  fCnt: number;
}

export async function decideDataUplink(
  network: Network,
  uplink: Uplink,
  frame: DataFrame,
  sender: UplinkSender,
): Promise<Decision> {
  const found = await judgeFrame(network, uplink, frame, sender);
  const isRelayed = uplink.receptions.some(({ isRelay }) => isRelay);
  // A relayed copy causes no error events: the network may have received and processed the device's own frame.
  if ('dropped' in found) return decisionOf(isRelayed ? { ...found, effects: [] } : found);
  const { session, device, fCnt, confFCnt, isRepeat, isOutOfOrder, isReset } = found;
  const { devEUI } = session;

  const [deviceProfile, serviceProfile] = await Promise.all([
    network.state.get('deviceProfile', device.deviceProfileID),
    network.state.get('serviceProfile', device.serviceProfileID),
  ]);
  if (!deviceProfile || !serviceProfile) return decisionOf({ dropped: 'profile-missing', devEUI });
  const receptions = await allowedReceptions(network, uplink.receptions, device.serviceProfileID);
  if (receptions.length === 0) return decisionOf({ dropped: 'private-gateways', devEUI });
  const allowed: Uplink = { ...uplink, receptions };
  const context: DeviceContext = { network, session, deviceProfile, serviceProfile };

  const opened = openMacCommands(network, frame, session, fCnt);
  const clear = { ...allowed, phyPayload: clearPayload(allowed, frame, opened.frame) };
  const deviceFrame = deviceFrameOf(network, clear, devEUI, frame.devAddr);
  const received: ReceivedFrame = {
    frame,
    fCnt,
    counter: counterStep(network, session, { fCnt, isOutOfOrder, isReset }),
    mac: noteMacCommands(opened.commands, session),
    logged: loggedFrameOf(deviceFrame)!,
  };
  if (isOutOfOrder) return { ...(await decideOutOfOrder(context, allowed, received)), deviceFrame };
  if (isRepeat) return { ...decideRepeat(context, allowed, opened.commands, fCnt), deviceFrame };

  const radio = noteRadio(context, allowed, frame, fCnt);
  const mac = handleMacCommands(opened.commands, { ...context, uplink: allowed } satisfies ReceivedContext);
  noteReceivers(network, session, allowed, fCnt);

  const { forwarded, effects } = await forwardedUplink(network, found, allowed, frame);
  const { writes, effects: ended } = await proveSession(network, session);
  effects.push(...ended);
  effects.push(...(await statusesOf(network, devEUI, mac.statuses)));
  if (!forwarded) effects.push(...(await dataOf(context, allowed, received)));
  if (serviceProfile.nwkGeoLoc) effects.push(...(await locationOf(network, allowed, device, devEUI)));
  network.outOfOrder.noteMissed(session, fCnt);
  session.fCntUp = fCnt + 1;
  session.repeats = 0;
  if (frame.fCtrl.ack) {
    const acknowledged = await acknowledgeDownlink(network, session, confFCnt);
    writes.push(...acknowledged.writes);
    effects.push(...acknowledged.effects);
  }
  if (session.mode !== 'A' && (await network.state.queue(devEUI)).length > 0) {
    writes.push(scheduleQueue(devEUI, session.mode === 'C' ? freeAt(network, session) : network.clock.now().getTime()));
  }
  return {
    dropped: null,
    devEUI,
    writes,
    effects,
    deviceFrame,
    forwarded,
    joinAccept: null,
    response: responseTo(context, {
      uplink: allowed,
      isConfirmed: frame.mType === 'ConfirmedDataUp',
      mustSend: radio.mustSend || mac.mustSend,
      answers: mac.answers,
    }),
  };
}

/**
 * Handles an uplink after a peer has processed later ones: the application gets its data, the session only removes it
 * from the missing ones.
 */
async function decideOutOfOrder(
  context: DeviceContext,
  uplink: Uplink,
  received: ReceivedFrame,
): Promise<Omit<Decision, 'deviceFrame'>> {
  const { session } = context;
  session.missed = session.missed.filter((missed) => missed !== received.fCnt);
  const effects = await dataOf(context, uplink, received);
  const { devEUI } = session;
  return {
    dropped: null,
    devEUI,
    writes: [{ kind: 'saveSession', session }],
    effects,
    response: null,
    joinAccept: null,
  };
}

async function statusesOf(
  network: Network,
  devEUI: string,
  statuses: ReturnType<typeof handleMacCommands>['statuses'],
) {
  const effects = [];
  for (const status of statuses) {
    const reported = network.applicationServer.setDeviceStatus({ devEui: bytesOf(devEUI), ...status });
    effects.push(...(await effectOf(network, reported, devEUI)));
  }
  return effects;
}

async function dataOf(
  { network, session, serviceProfile }: DeviceContext,
  uplink: Uplink,
  { frame, fCnt, counter, mac, logged }: ReceivedFrame,
) {
  const { applicationServer } = network;
  const { devEUI, keys } = session;
  const devEui = bytesOf(devEUI);
  const isApplicationData = frame.fPort !== null && frame.fPort > 0;
  const handled = await effectOf(
    network,
    applicationServer.handleUplinkData(
      {
        devEui,
        joinEui: bytesOf(session.joinEUI),
        fCnt,
        fPort: frame.fPort ?? 0,
        adr: frame.fCtrl.adr,
        dr: uplink.dr,
        txInfo: uplink.txInfo,
        rxInfo: serviceProfile.addGwMetadata ? uplink.receptions.map(({ rxInfo }) => rxInfo) : [],
        data: isApplicationData ? frame.frmPayload : new Uint8Array(),
        deviceActivationContext: newActivationOf(session),
        confirmedUplink: frame.mType === 'ConfirmedDataUp',
      },
      { ...radioOf(network, uplink), counter, mac, logged, isJoinReported: session.isJoinReported ?? false },
    ),
    devEUI,
  );
  // After the commit the application has the AppSKey, so the session need not store it.
  if (handled.length > 0) keys.appSKey = null;
  return handled;
}

/** How well an uplink was received. */
export function radioOf({ region }: Network, uplink: Uplink): ReceptionQuality {
  const received = uplink.receptions.map(({ rxInfo }) => rxInfo);
  return {
    bestRSSI: Math.max(...received.map(({ rssi }) => rssi)),
    bestSNR: Math.max(...received.map(({ loRaSNR }) => loRaSNR)),
    gatewayCount: received.length,
    airtimeMs: Math.round(airtime(uplink.phyPayload.length, modulationOf(region, uplink.dr))),
  };
}

/** Call it before the session is changed. */
function counterStep(
  { clock }: Network,
  { fCntUp, lastUplinkAt }: DeviceSession,
  { fCnt, isOutOfOrder, isReset }: { fCnt: number; isOutOfOrder: boolean; isReset: boolean },
): CounterStep {
  const sinceMs = lastUplinkAt === null ? 0 : Math.max(0, clock.now().getTime() - lastUplinkAt);
  if (isOutOfOrder) return { skipped: -1, isReset: false, sinceMs };
  // Before the first frame of a session there is no counter to compare with.
  return { skipped: fCntUp > 0 ? Math.max(0, fCnt - fCntUp) : 0, isReset, sinceMs };
}

async function locationOf(
  network: Network,
  { receptions }: Uplink,
  { referenceAltitude }: DeviceRecord,
  devEUI: string,
) {
  const location = locate(receptions, referenceAltitude);
  if (!location) return [];
  const uplinkIds = receptions.map(({ rxInfo }) => rxInfo.uplinkID);
  const devEui = bytesOf(devEUI);
  return await effectOf(network, network.applicationServer.setDeviceLocation({ devEui, location, uplinkIds }), devEUI);
}

/** The frame with decrypted MAC commands, for the frame log; the application's payload is unchanged. */
function clearPayload({ phyPayload }: Uplink, received: DataFrame, opened: DataFrame): Uint8Array {
  const isClear = opened.fOpts === received.fOpts && opened.frmPayload === received.frmPayload;
  return isClear ? phyPayload : encodeFrame(opened);
}
