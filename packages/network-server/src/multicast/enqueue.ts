import { RpcError } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { MulticastItem, Write } from '../state/state.ts';
import { scheduleMulticast } from './due-work.ts';
import { gatewaysFor } from './gateways.ts';
import { limitOf } from './limit.ts';
import { classBSendTimes, classCSendTimes, withCorrectedClock } from './send-times.ts';
import { cooldownsOf } from './shared-cooldowns.ts';

/**
 * An item is dropped when no gateway has accepted it this long after its time. In class B the next slot may be two
 * minutes away.
 */
const patienceMs = { CLASS_C: 60_000, CLASS_B: 420_000 } as const;
const lastFCnt = 0xffff_ffff;

/**
 * Queues a downlink at the gateways of a group and spends its counter in one commit: later frames under this counter
 * are identical.
 */
export async function enqueueMulticast(
  network: Network,
  group: MulticastGroupRecord,
  given: Pick<MulticastItem, 'groupID' | 'fCnt' | 'fPort' | 'frmPayload'>,
): Promise<void> {
  const { state } = network;
  const { groupID, fCnt } = given;
  refuseUnsendable(network, group, given);
  const members = await state.multicastMembers(groupID);
  if (members.length === 0) throw unready('The multicast-group has no devices. Add some first.');
  const senders = gatewaysFor(network, members);
  if (senders.length === 0) throw unready('No gateway has heard a device of the multicast-group yet.');
  const next = (await state.multicastFCnt(groupID)) ?? 0;
  if (fCnt < next) throw invalid(`The multicast-group has come to frame-counter ${next} already.`);

  const now = network.clock.now().getTime();
  const queue = (await state.multicastQueue(groupID)).map((item) => withCorrectedClock(item, now));
  const cooldowns = await cooldownsOf(network, [groupID, ...senders.map(({ gatewayID }) => gatewayID)]);
  const sendTimes =
    group.groupType === 'CLASS_B'
      ? classBSendTimes(network, group, { senders, queue })
      : classCSendTimes(network, group, { given, senders, queue, cooldowns });
  const writes: Write[] = [{ kind: 'spendMulticastFCnt', groupID, fCnt }];
  for (const { sender, at, pingSlotAt } of sendTimes) {
    const until = at + patienceMs[group.groupType];
    const item = { ...given, ...sender, at, until, pingSlotAt, attempts: 0, setAt: now };
    writes.push({ kind: 'insertMulticastItem', item }, scheduleMulticast(item, at));
  }
  if (await state.commit({ writes, effects: [] })) return;
  throw new RpcError('Aborted', 'Another downlink has taken this frame-counter. Ask for the next one and try again.');
}

function refuseUnsendable(
  network: Network,
  group: MulticastGroupRecord,
  { fPort, fCnt, frmPayload }: Pick<MulticastItem, 'fPort' | 'fCnt' | 'frmPayload'>,
): void {
  if (fPort === 0) throw invalid('FPort 0 is for MAC commands. Choose one from 1 to 223.');
  const limit = limitOf(network, group);
  if (frmPayload.length > limit) {
    throw invalid(`At data-rate ${group.dr} a downlink has at most ${limit} bytes, this one has ${frmPayload.length}.`);
  }
  // A device that has received the last counter can never receive another.
  if (fCnt >= lastFCnt) throw unready('The frame-counter has come to its end. Give the group new keys and begin at 0.');
}

const invalid = (sentence: string) => new RpcError('InvalidArgument', sentence);
const unready = (sentence: string) => new RpcError('FailedPrecondition', sentence);
