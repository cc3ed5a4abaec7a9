/**
 * Class C: sends the queued items of all multicast groups at one gateway, one by one with a pause in between. Tenants
 * alternate, then the groups of each tenant. A group has a short pause, too (`staggerMs`), for all its gateways.
 */
import type { Network } from '../network/network.ts';
import type { Cooldowns } from '../platform/cooldowns.ts';
import type { DueClaim } from '../state/due.ts';
import type { MulticastItem, Write } from '../state/state.ts';
import { dutyCycleRecheckMs, multicastQueueOf, recheckMs } from './due-work.ts';
import { afterSending, commitSend, maySend, transmit, writeIfUnsendable } from './send-item.ts';
import { withCorrectedClock } from './send-times.ts';
import { cooldownsOf } from './shared-cooldowns.ts';
import { staggerMs } from './stagger.ts';

/** Sends the next item, if there is one, and settles until the time after that. */
export async function serveGateway(network: Network, claim: DueClaim): Promise<void> {
  const { state, clock, isShared, gateways, multicastOrder: fairOrder, settings } = network;
  const { gatewayID } = multicastQueueOf(claim);
  const settle = async (next: number | null, ...writes: Write[]) =>
    void (await state.commit({ writes: [...writes, { kind: 'settleDue', claim, next }], effects: [] }));
  const heads = (await state.multicastHeads(gatewayID)).filter(({ pingSlotAt }) => pingSlotAt === null);
  if (heads.length === 0) return await settle(null);

  const now = clock.now().getTime();
  const misdated = heads
    .map((item) => withCorrectedClock(item, now))
    .filter((item, position) => item !== heads[position]);
  if (misdated.length > 0)
    return await settle(now, ...misdated.map((item) => ({ kind: 'updateMulticastItem', item }) as const));
  const due = await withGroups(
    network,
    heads.filter(({ at }) => at <= now),
  );
  const ends = due.flatMap(({ group, item }) => writeIfUnsendable(network, group, item) ?? []);
  if (ends.length > 0) return await settle(now, ...ends);
  if (due.length > 0 && !gateways.has(gatewayID)) return await settle(now + recheckMs);
  const cooldowns = await cooldownsOf(network, [gatewayID, ...heads.map(({ groupID }) => groupID)]);
  const sendable = due.filter(({ group, item }) => maySend(network, group, item));
  if (sendable.length < due.length) network.count('downlinks_without_duty_cycle', {}, due.length - sendable.length);
  if (due.length > 0 && sendable.length === 0) return await settle(now + dutyCycleRecheckMs);
  const free =
    cooldowns.remainingMs(gatewayID) > 0 ? [] : sendable.filter(({ groupID }) => cooldowns.remainingMs(groupID) === 0);
  const chosen = fairOrder.next(gatewayID, free);
  if (!chosen) return await settle(soonest(network, cooldowns, gatewayID, heads));

  const { item, group } = chosen;
  fairOrder.served(gatewayID, chosen);
  const pause = settings.multicastGatewayDelayMs;
  const stagger = staggerMs(network, group, item);
  network.multicastCooldowns.begin(gatewayID, pause);
  network.multicastCooldowns.begin(item.groupID, stagger);
  const sentItem = afterSending(network, item);
  const after = heads.map((one) => (one === item ? sentItem : one));
  const next = soonest(network, network.multicastCooldowns, gatewayID, after);
  const begin = (id: string, ms: number): Write => {
    return { kind: 'startMulticastCooldowns', of: [id], now, until: now + ms, longestMs: pause };
  };
  const begins = isShared ? [begin(gatewayID, pause), begin(item.groupID, stagger)] : [];
  if (await commitSend(network, claim, sentItem, next, ...begins)) transmit(network, group, item);
  // A peer sends for the group at the moment, or has claimed this work.
  else await settle(now + stagger);
}

/** Leaves out the items of a group that was just deleted. */
async function withGroups({ state }: Network, items: readonly MulticastItem[]) {
  const groups = await Promise.all(items.map(({ groupID }) => state.get('multicastGroup', groupID)));
  return items.flatMap((item, position) => {
    const group = groups[position];
    return group ? [{ item, group, tenant: group.serviceProfileID, groupID: item.groupID, at: item.at }] : [];
  });
}

/** When the first item may be sent. */
function soonest(
  { clock }: Network,
  cooldowns: Pick<Cooldowns, 'remainingMs'>,
  gatewayID: string,
  heads: readonly MulticastItem[],
): number {
  const now = clock.now().getTime();
  const first = heads.reduce(
    (at, item) => Math.min(at, Math.max(item.at, now + cooldowns.remainingMs(item.groupID))),
    Infinity,
  );
  return Math.max(first, now + cooldowns.remainingMs(gatewayID));
}
