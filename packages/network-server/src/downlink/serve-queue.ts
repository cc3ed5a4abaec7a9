/** Serves the queue of a class B or C device: sends items when they are due. */
import { modulationOf, requiredSNR } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import { mayUsePending } from '../session/session-in-use.ts';
import type { DueClaim } from '../state/due.ts';
import type { QueueItem, State } from '../state/state.ts';
import { gatewaysInOrder } from './choose-gateway.ts';
import { classBSlot, slotEnd } from './class-b.ts';
import { classCOpportunity } from './class-c.ts';
import { isExpired, nextExpiry } from './in-flight.ts';
import { limitOf } from './limit.ts';
import type { Listener, SendOpportunity } from './listener.ts';
import { planDownlink } from './plan.ts';
import { usableQueue, withdrawal } from './queue.ts';
import { reportItem, reportTransmission } from './report.ts';
import { isSentAgain, sealPlan } from './seal.ts';
import { send } from './send.ts';
import { tooLarge } from './too-large.ts';
import { whileUnconfirmed } from './unconfirmed.ts';
import { isPossibleWindow } from './windows.ts';
import { frameOfContent } from './within-duty-cycle.ts';

const attempts = 4;
/** How long until a gateway that is not connected, or has used up its duty cycle, is checked again. */
const recheckMs = 60_000;

/**
 * Sends the next item if it is due, and settles until the next time. Everything else that makes an item due schedules
 * work itself: a new item, an uplink, an answer of a gateway, a change of the device.
 */
export async function serveQueue(network: Network, claim: DueClaim): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) if (await serve(network, claim)) return;
  network.count('downlinks_contended');
  await settle(network, claim, network.clock.now().getTime());
}

/** `false`: the session has changed, so that the decision must be made again. */
async function serve(network: Network, claim: DueClaim): Promise<boolean> {
  const { state } = network;
  const [queue, sessions] = await Promise.all([state.queue(claim.key), state.sessions(claim.key)]);
  const listener = queue.length > 0 ? await listenerOf(network, sessions) : null;
  if (!listener) return await expire(network, claim, queue);

  const { session } = listener;
  const usable = await usableQueue(network, session, queue, (items) => isSameFrame(listener, items));
  const { writes, effects } = usable;
  const settled = (at: number | null) => {
    const next = earliest(at, nextExpiry(usable.items, network.clock.now().getTime()));
    return network.state.commit({ writes: [...writes, { kind: 'settleDue', claim, next }], effects });
  };
  const opportunity = usable.items.length > 0 ? opportunityOf(listener, usable.items) : null;
  if (!opportunity) return await settled(usable.heldUntil);
  const now = network.clock.now().getTime();
  for (const item of opportunity.items)
    if (!usable.items.includes(item)) writes.push({ kind: 'updateQueueItem', item });
  if (opportunity.from > now) return await settled(opportunity.from);

  const plan = planOf(listener, opportunity);
  for (const item of plan.tooLarge) {
    const dropped = await tooLarge(network, item, [{ limit: plan.limit }]);
    writes.push(dropped.write);
    effects.push(...dropped.effects);
  }
  const { item } = plan;
  if (!item) return await settled(now);
  const reachable = gatewaysInOrder(network, session.receivers, requiredOf(listener));
  const gateways = reachable.filter(
    ({ gatewayID }) => session.mode !== 'B' || network.gpsOutages.remainingMs(gatewayID) === 0,
  );
  if (gateways.length === 0 && reachable.length > 0) {
    network.count('downlinks_without_gps');
    // An uplink before then is answered with the item.
    return await settled(
      now + Math.min(...reachable.map(({ gatewayID }) => network.gpsOutages.remainingMs(gatewayID))),
    );
  }
  const [planned] = plan.sends;
  const within = network.dutyCycle.among(
    gateways,
    planned ? [frameOfContent(network, planned.window, planned.content)] : [],
  );
  if (within.length === 0 && gateways.length > 0) {
    network.count('downlinks_without_duty_cycle');
    effects.push(reportItem(network, item, 'DUTY_CYCLE'));
    return await settled(now + recheckMs);
  }
  const receiver = within[item.attempts % within.length];
  if (!receiver) {
    network.count('downlinks_without_gateway');
    network.awaitedGateways.add(
      claim.key,
      session.receivers.map(({ gatewayID }) => gatewayID),
    );
    effects.push(reportItem(network, item, 'NO_GATEWAY'));
    return await settled(now + recheckMs);
  }

  if (item.hasLeft) network.count('downlinks_unanswered');
  const transmission = sealPlan(network, session, plan, { receiver, ack: false });
  const [sent] = transmission.frame.items;
  session.lastDownlinkAt =
    opportunity.onAirAt > now ? slotEnd(network, opportunity, sent?.phyPayload.length ?? 0) : now;
  const sentItem = whileUnconfirmed(listener, item, opportunity.onAirAt);
  writes.push({ kind: 'updateQueueItem', item: sentItem, isGuarded: true }, { kind: 'saveSession', session });
  effects.push(...reportTransmission(network, transmission, 'SENDING'));
  if (!(await settled(sentItem.notBefore))) return false;
  send(network, { ...transmission, claim });
  return true;
}

function settle({ state }: Network, claim: DueClaim, next: number | null): Promise<boolean> {
  return state.commit({ writes: [{ kind: 'settleDue', claim, next }], effects: [] });
}

/** Drops expired items of a device that does not receive without an uplink. */
async function expire(network: Network, claim: DueClaim, queue: readonly QueueItem[]): Promise<boolean> {
  const now = network.clock.now().getTime();
  const expired = queue.filter((item) => isExpired(item, now));
  const next = nextExpiry(
    queue.filter((item) => !expired.includes(item)),
    now,
  );
  return await network.state.commit({
    writes: [...expired.map(withdrawal), { kind: 'settleDue', claim, next }],
    effects: expired.map((item) => reportItem(network, item, 'EXPIRED')),
  });
}

function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** None for a device that may listen with the session of its last join as well. */
async function listenerOf(
  network: Network,
  sessions: Awaited<ReturnType<State['sessions']>>,
): Promise<Listener | null> {
  const { state } = network;
  const { current: session } = sessions;
  if (!session || mayUsePending(sessions) || session.mode === 'A' || session.receivers.length === 0) return null;
  const device = await state.get('device', session.devEUI);
  if (!device || device.isDisabled) return null;
  const deviceProfile = await state.get('deviceProfile', device.deviceProfileID);
  return deviceProfile && { network, session, deviceProfile };
}

/** `null`: how the device listens is unknown until its next uplink, or no gateway can send in that way. */
function opportunityOf(listener: Listener, items: readonly QueueItem[]): SendOpportunity | null {
  const opportunity = listener.session.mode === 'B' ? classBSlot(listener, items) : classCOpportunity(listener, items);
  return opportunity && isPossibleWindow(listener.network, opportunity.window) ? opportunity : null;
}

function planOf({ network, session, deviceProfile }: Listener, { window, items }: SendOpportunity) {
  const limit = limitOf(network, session, deviceProfile, window.dr);
  const plan = planDownlink([{ ...window, limit }], { answers: [], requests: [], items, isItemFirst: false }, false);
  return { ...plan, limit };
}

/** Whether the frame without an answer of its gateway would be sent again. */
function isSameFrame(listener: Listener, items: readonly QueueItem[]): boolean {
  if (!items[0]?.hasLeft) return false;
  const opportunity = opportunityOf(listener, items);
  const content = opportunity && planOf(listener, opportunity).sends[0]?.content;
  return (
    content?.item === opportunity?.items[0] && !!content && isSentAgain(listener.network, listener.session, content)
  );
}

/** dB that the device needed to be heard at its data-rate. */
function requiredOf({ network, session }: Listener): number {
  return requiredSNR(modulationOf(network.region, session.dr)) ?? 0;
}
