/** Handles what gateways report about downlinks: sent, so that the queue continues, or refused in every window. */
import { mTypes } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import { atNextGateway } from '../downlink/next-gateway.ts';
import { scheduleQueue } from '../downlink/queue.ts';
import { reportTransmission } from '../downlink/report.ts';
import { send } from '../downlink/send.ts';
import { multicastKeyOf } from '../multicast/due-work.ts';
import { handleGroupResult } from '../multicast/group-result.ts';
import { countSentAirtime } from '../network/airtime.ts';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { DeviceTransmission, SentData, Transmission } from '../network/transmissions.ts';
import type { KeyedQueues } from '../platform/keyed-queues.ts';
import type { Effect } from '../state/effect.ts';
import type { QueueItem, Write } from '../state/state.ts';
import { reportSentFrame, type SentFrame, sentDownlinkOf } from './sent-frames.ts';

const attempts = 5;
/** How long a gateway without GPS gets no class B downlinks. */
const gpsOutageMs = 3_600_000;

/** Handles the report of a gateway on a downlink; reports on forgotten downlinks are ignored. */
export async function handleDownlinkResult(
  network: Network,
  queues: KeyedQueues,
  ack: gw.DownlinkTXAck,
): Promise<void> {
  const transmission = network.transmissions.take(ack.downlinkID);
  if (!transmission) return network.count('gateway_acks_forgotten');
  const decided = ack.items.findIndex(({ status }) => status !== 'IGNORED');
  const sent = ack.items.findIndex(({ status }) => status === 'OK');
  const status = ack.items[sent === -1 ? decided : sent]?.status ?? 'INTERNAL_ERROR';
  network.count('downlinks_answered', { status });
  const at = network.clock.now();
  if (status === 'GPS_UNLOCKED') network.gpsOutages.begin(transmission.frame.gatewayID.toHex(), gpsOutageMs);
  const sentItem = transmission.frame.items[sent];
  network.dutyCycle.settle(transmission.frame, sentItem);
  if (sentItem) countSentAirtime(network, transmission.frame.gatewayID.toHex(), sentItem);
  if (sent !== -1) logFrames(network, transmission, { sent, at });
  else if ('others' in transmission) {
    const next = atNextGateway(network, transmission);
    if (next) {
      network.count('downlinks_at_next_gateway');
      send(network, next);
      const effects = [
        ...reportTransmission(network, transmission, 'GATEWAY_REFUSED', { reason: refusalOf(ack) }),
        ...reportTransmission(network, next, 'SENDING'),
        ...joinAnswerReport(network, transmission, refusalOf(ack)),
      ];
      if (effects.length === 0) return;
      return await queues.run(next.devEUI, async () => void (await network.state.commit({ writes: [], effects })));
    }
  }
  if ('forwarded' in transmission && transmission.forwarded) {
    const { gatewayID, token, downlinkID } = transmission.forwarded;
    await handleDownlinkResult(
      network,
      queues,
      create(gw.DownlinkTXAck, { gatewayID, token, downlinkID, items: [{ status }] }),
    );
  }
  if ('itemID' in transmission) {
    return await queues.run(multicastKeyOf(transmission.itemID), () =>
      handleGroupResult(network, transmission, status),
    );
  }
  if ('isPing' in transmission) return transmission.onAnswer?.(status);
  if (sent === -1) return await queues.run(transmission.devEUI, () => noteFailure(network, transmission, ack));
  const data = transmission.data[sent];
  const sentFrame: SentFrame = { transmission, sent, at };
  await queues.run(transmission.devEUI, async () => {
    if (!data?.queueItemID) {
      const effects = [
        ...(await reportSentFrame(network, sentFrame)),
        ...joinAnswerReport(network, transmission, status),
      ];
      if (effects.length > 0) await network.state.commit({ writes: [], effects });
    }
    if (data?.queueItemID || data?.asksStatus) await noteSuccess(network, sentFrame, data);
  });
}

async function noteSuccess(network: Network, sentFrame: SentFrame, data: SentData): Promise<void> {
  const { transmission, sent } = sentFrame;
  const { devEUI } = transmission;
  const { state } = network;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const [{ current: session }, queue, txAck] = await Promise.all([
      state.sessions(devEUI),
      data.queueItemID ? state.queue(devEUI) : [],
      data.queueItemID ? effectsOfTransmission(network, sentFrame, data) : [],
    ]);
    if (session?.id !== data.sessionID) return;
    const writes: Write[] = [];
    const effects: Effect[] = [];
    if (data.asksStatus) {
      session.lastDevStatusRequestedAt = network.clock.now().getTime();
      writes.push({ kind: 'saveSession', session });
    }
    if (data.queueItemID) {
      const item = queue.find(({ id }) => id === data.queueItemID);
      if (item) writes.push(...afterSending(item, data));
      const { claim } = transmission;
      const isNextWaiting = session.mode !== 'A' && queue.length > 1;
      if (isNextWaiting) writes.push(scheduleQueue(devEUI, network.clock.now().getTime()));
      else if (claim && item && !item.confirmed) writes.push({ kind: 'settleDue', claim, next: null });
      effects.push(...txAck, ...reportTransmission(network, transmission, 'SENT', { at: sent }));
    }
    if (await state.commit({ writes, effects })) return;
  }
  network.log.error({ devEUI }, 'A sent downlink could not be noted: the session kept changing.');
}

/** A confirmed item waits for the device, unless it has a new counter; any other item is removed. */
function afterSending(item: QueueItem, { fCnt }: SentData): Write[] {
  if (!item.confirmed) return [{ kind: 'deleteQueueItem', devEUI: item.devEUI, id: item.id }];
  return item.fCnt === fCnt ? [{ kind: 'updateQueueItem', item: { ...item, isPending: true } }] : [];
}

function effectsOfTransmission(network: Network, sentFrame: SentFrame, { fCnt }: SentData) {
  const { transmission, sent } = sentFrame;
  const { devEUI, frame } = transmission;
  const request = {
    devEui: Uint8Array.fromHex(devEUI),
    fCnt,
    gatewayId: frame.gatewayID,
    txInfo: frame.items[sent]?.txInfo ?? null,
  };
  const effect = network.applicationServer.handleTxAck(request, sentDownlinkOf(sentFrame));
  return effectOf(network, effect, devEUI);
}

/**
 * The text is the status of the last window that was tried, because gateway bridges before 3.9 know only the first one.
 * The item stays queued and is sent with another counter. An item that waits for its gateway is free now.
 */
async function noteFailure(network: Network, transmission: DeviceTransmission, ack: gw.DownlinkTXAck): Promise<void> {
  const { devEUI, data } = transmission;
  const error = refusalOf(ack);
  const event = {
    devEui: Uint8Array.fromHex(devEUI),
    type: 'DATA_DOWN_GATEWAY',
    error,
    fCnt: data[0]?.fCnt ?? 0,
  } as const;
  const effects = await effectOf(network, network.applicationServer.handleError(event), devEUI);
  effects.push(...reportTransmission(network, transmission, 'GATEWAY_REFUSED', { reason: error }));
  effects.push(...joinAnswerReport(network, transmission, error));
  const queue = await network.state.queue(devEUI);
  const writes = queue
    .filter(({ id, fCnt }) => data.some((sent) => sent.queueItemID === id && sent.fCnt === fCnt))
    .filter(({ isPending }) => !isPending)
    .map((item): Write => {
      const isFree = item.notBefore !== null;
      const changed = isFree ? { hasLeft: false, pingSlotAt: null } : { leftAt: undefined };
      return { kind: 'updateQueueItem', item: { ...item, ...changed } };
    });
  await network.state.commit({ writes, effects });
}

/** Whether a gateway sent a join-accept; none for another downlink. */
function joinAnswerReport(
  { joinReports }: Network,
  { devEUI, frame: { gatewayID, items } }: DeviceTransmission,
  status: gw.TxAckStatus,
): Effect[] {
  const isJoinAccept = mTypes[(items[0]?.phyPayload[0] ?? 0xff) >>> 5] === 'JoinAccept';
  return isJoinAccept ? [joinReports.answer({ devEUI, gatewayID: gatewayID.toHex(), status })] : [];
}

/** The status of the last window that was tried. */
function refusalOf({ items }: gw.DownlinkTXAck): gw.TxAckStatus {
  return items.findLast(({ status }) => status !== 'IGNORED')?.status ?? 'INTERNAL_ERROR';
}

/** Shows the sent frame in the log of the gateway, and of the device if it was for a single device. */
function logFrames(
  network: Network,
  transmission: Transmission,
  { sent, at: publishedAt }: { sent: number; at: Date },
): void {
  const { frame, devAddr } = transmission;
  const { token, downlinkID, gatewayID } = frame;
  const item = frame.items[sent];
  if (!item) return;
  const { devEUI, clear } = 'devEUI' in transmission ? transmission : { devEUI: '', clear: [] };
  const entry = {
    phyPayload: item.phyPayload,
    txInfo: item.txInfo,
    token,
    downlinkID,
    gatewayID,
    mType: mTypes[(item.phyPayload[0] ?? 0) >>> 5] ?? 'Proprietary',
    devAddr: Uint8Array.fromHex(devAddr),
    devEui: Uint8Array.fromHex(devEUI),
    publishedAt,
  } as const;
  network.gatewayFrames.add(gatewayID.toHex(), { downlinkFrame: entry });
  const shown = clear[sent];
  if (shown) network.deviceFrames.add(devEUI, { downlinkFrame: { ...entry, phyPayload: shown } });
}
