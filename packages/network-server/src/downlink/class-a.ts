/** The response to a data uplink, in the receive windows after it. */
import type { MacCommand } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { networkRequests } from '../mac/requests.ts';
import type { DeviceContext } from '../network/device-context.ts';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import { isQueued, toForward } from '../relay/forwarded.ts';
import type { DeviceProfileRecord, ServiceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';
import { planResponse } from './beacon-timing.ts';
import { answeringGateways } from './choose-gateway.ts';
import { lastSlotEnd } from './class-b.ts';
import { freeAt } from './class-c.ts';
import { limitOf } from './limit.ts';
import { usableQueue } from './queue.ts';
import { reportItem, reportTransmission } from './report.ts';
import { sealPlan } from './seal.ts';
import { send } from './send.ts';
import { tooLarge } from './too-large.ts';
import { whileUnconfirmed } from './unconfirmed.ts';
import { type ReceiveWindow, receiveWindows } from './windows.ts';
import { chooseWithinDutyCycle } from './within-duty-cycle.ts';

/** The input for the response to an uplink. Thousands of these wait at a time, so none contains a whole session. */
export interface UplinkResponse {
  /** The fields of the session as saved with the uplink. */
  session: Pick<DeviceSession, 'id' | 'devEUI' | 'fCntUp'>;
  deviceProfile: DeviceProfileRecord;
  serviceProfile: ServiceProfileRecord;
  uplink: Uplink;
  isConfirmed: boolean;
  mustSend: boolean;
  answers: MacCommand[];
  /** Whether the network has requests for the device. */
  isAsking: boolean;
}

export function responseTo(
  { network, session, deviceProfile, serviceProfile }: DeviceContext,
  reasons: Pick<UplinkResponse, 'uplink' | 'isConfirmed' | 'mustSend' | 'answers'>,
): UplinkResponse {
  const { id, devEUI, fCntUp } = session;
  const isAsking = networkRequests({ network, session, deviceProfile, serviceProfile }).length > 0;
  return { session: { id, devEUI, fCntUp }, deviceProfile, serviceProfile, ...reasons, isAsking };
}

/** The response with the current session. */
type DueResponse = UplinkResponse & { session: DeviceSession };

const attempts = 3;
/** An item waits for MAC commands at most this many times, then the commands wait. */
const mostPassedOver = 2;

/**
 * Sends the response to an uplink if there is anything to send; `tryAgain` as in `send`. When the device has sent a
 * later uplink, it answers that one instead.
 */
export async function respondToUplink(
  network: Network,
  response: UplinkResponse,
  tryAgain?: () => void,
): Promise<void> {
  const { devEUI, id, fCntUp } = response.session;
  let queue = await network.state.queue(devEUI);
  const forwarded = network.relays.take(devEUI);
  if (!forwarded && !hasSomethingToSay(response, queue)) return;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { current } = await network.state.sessions(devEUI);
    if (current?.id !== id) return;
    if (current.fCntUp !== fCntUp) return network.count('downlinks_superseded');
    if (await respond(network, { ...response, session: current, tryAgain }, queue, forwarded)) return;
    queue = await network.state.queue(devEUI);
  }
  network.count('downlinks_contended');
}

function hasSomethingToSay(
  { isConfirmed, mustSend, answers, isAsking }: UplinkResponse,
  queue: readonly QueueItem[],
): boolean {
  return queue.length > 0 || isConfirmed || mustSend || answers.length > 0 || isAsking;
}

/**
 * Decides, commits the counters that the downlink uses, and only then sends. `false`: the session has changed, so the
 * decision must be made again.
 */
async function respond(
  network: Network,
  response: DueResponse & { tryAgain: (() => void) | undefined },
  queue: readonly QueueItem[],
  forwarded: gw.DownlinkFrame | null,
): Promise<boolean> {
  const { session, uplink, isConfirmed, mustSend, answers, tryAgain } = response;
  const { devEUI } = session;
  const open = sizedWindows(network, response);
  const windows = open.filter((window) => isInOrder(network, session, window));
  if (windows.length < open.length) network.count('windows_before_ping_slot', {}, open.length - windows.length);
  const [first, ...rest] = answeringGateways(network, session.receivers, uplink);
  const { items, writes, effects } = await usableQueue(network, session, queue);
  if (windows.length === 0 || !first) {
    if (open.length > windows.length) return await network.state.commit({ writes, effects });
    network.count('downlinks_without_gateway');
    network.log.info({ devEUI }, 'No gateway that heard the device can send the response.');
    if (items[0]) effects.push(reportItem(network, items[0], 'NO_GATEWAY'));
    return await network.state.commit({ writes, effects });
  }
  const requests = networkRequests({ network, ...response });
  const inside = forwarded && toForward(session, forwarded);
  const isForwarding = inside !== null && windows.some(({ limit }) => limit >= inside.frmPayload.length);
  if (inside && !isForwarding) network.count('relayed_downlinks_too_large');
  const isItemFirst = isForwarding || session.itemsPassedOver >= mostPassedOver;
  const isAwaited = isConfirmed || mustSend || answers.length > 0;
  const pending = { answers, requests, items: isForwarding ? [inside, ...items] : items, isItemFirst };
  const planFor = (open: readonly SizedWindow[]) => planResponse(network, uplink, open, pending, isAwaited);
  const choice = chooseWithinDutyCycle(network, [first, ...rest], windows, planFor);
  if (!choice) {
    network.count('downlinks_without_duty_cycle');
    if (items[0]) effects.push(reportItem(network, items[0], 'DUTY_CYCLE'));
    return await network.state.commit({ writes, effects });
  }
  const { plan, sender: receiver, others } = choice;
  for (const item of plan.tooLarge) {
    const dropped = await tooLarge(network, item, windows);
    writes.push(dropped.write);
    effects.push(...dropped.effects);
  }
  const transmission = plan.sends.length > 0 ? sealPlan(network, session, plan, { receiver, ack: isConfirmed }) : null;
  if (transmission) {
    transmission.others = { receivers: others, receivedAt: receivedAt(network, session) };
    session.itemsPassedOver = plan.isItemPassedOver ? session.itemsPassedOver + 1 : 0;
    session.lastDownlinkAt = Math.max(network.clock.now().getTime(), lastSlotEnd(network, session) ?? 0);
    if (isForwarding) transmission.forwarded = forwarded!;
    if (plan.item && isQueued(plan.item)) {
      const item = { ...plan.item, hasLeft: true, leftAt: network.clock.now().getTime() };
      const sentItem =
        session.mode === 'A' ? item : whileUnconfirmed({ network, ...response }, item, freeAt(network, session));
      writes.push({ kind: 'updateQueueItem', item: sentItem, isGuarded: true });
      effects.push(...reportTransmission(network, transmission, 'SENDING'));
    }
    writes.push({ kind: 'saveSession', session });
  }
  if (writes.length + effects.length > 0 && !(await network.state.commit({ writes, effects }))) return false;
  if (transmission) send(network, transmission, tryAgain);
  return true;
}

type SizedWindow = ReceiveWindow & { limit: number };

/** The windows in which this device may be answered, with the space for FOpts and FRMPayload. */
function sizedWindows(network: Network, { session, deviceProfile, uplink }: DueResponse): SizedWindow[] {
  return receiveWindows(network, uplink, session, deviceProfile.regParamsRevision)
    .map((window) => ({ ...window, limit: limitOf(network, session, deviceProfile, window.dr) }))
    .filter(({ limit }) => limit > 0);
}

/** Whether the window opens after the ping slot of the downlink that a gateway already has, if there is one. */
function isInOrder(network: Network, session: DeviceSession, { timing }: ReceiveWindow): boolean {
  const until = lastSlotEnd(network, session);
  if (until === null || timing === 'immediately' || 'atGpsMs' in timing) return true;
  return receivedAt(network, session) + timing.afterMs >= until;
}

function receivedAt({ settings }: Network, { lastUplinkAt }: DeviceSession): number {
  return (lastUplinkAt ?? 0) - settings.deduplicationDelayMs;
}
