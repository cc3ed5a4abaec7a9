import { type Channel, encodeMacCommands, type KnownMacCommand } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { DeviceTransmission, SentData } from '../network/transmissions.ts';
import { dataCounterOf } from '../session/downlink-counter.ts';
import { expectChannels } from '../session/known-channels.ts';
import type { DeviceSession, Receiver } from '../state/session.ts';
import type { DownlinkContent } from './content.ts';
import { sealDataDownlink } from './data-frame.ts';
import { buildDownlinkFrame } from './downlink-frame.ts';
import type { DownlinkPlan } from './plan.ts';
import { isSpentBy, reserve } from './reserve.ts';
import { type ReceiveWindow, windowName } from './windows.ts';

interface Sealed {
  phyPayload: Uint8Array;
  clear: Uint8Array;
  data: Omit<SentData, 'window' | 'dr'>;
}

/**
 * Encrypts each content once with its own counter, and records this in the session, which must be saved before the
 * frame is sent.
 */
export function sealPlan(
  network: Network,
  session: DeviceSession,
  { sends }: DownlinkPlan<ReceiveWindow>,
  { receiver, ack }: { receiver: Receiver; ack: boolean },
): DeviceTransmission {
  const sealed = new Map<DownlinkContent, Sealed>();
  const items = sends.map(({ window, content }) => {
    const frame = sealed.get(content) ?? seal(network, session, content, ack);
    sealed.set(content, frame);
    return { window, ...frame, data: { ...frame.data, window: windowName(session, window), dr: window.dr } };
  });
  return {
    frame: buildDownlinkFrame(network, receiver, items),
    devEUI: session.devEUI,
    devAddr: session.devAddr,
    clear: items.map(({ clear }) => clear),
    data: items.map(({ data }) => data),
  };
}

/** Whether this content results in the frame that was sent last with the counter of its item. */
export function isSentAgain(network: Network, session: DeviceSession, content: DownlinkContent): boolean {
  return isSpentBy(session, frameOf(network, session, content, false));
}

function seal(network: Network, session: DeviceSession, content: DownlinkContent, ack: boolean): Sealed {
  const { item, sent } = content;
  const { clear, ...frame } = frameOf(network, session, content, ack);
  const { fCnt, phyPayload } = frame;
  if (!reserve(session, frame)) {
    throw new Error(`Downlink ${fCnt} of ${session.devEUI} has left with another content.`);
  }
  if (item?.confirmed && session.confFCnt !== fCnt) {
    session.formerConfFCnt = session.confFCnt;
    session.confFCnt = fCnt;
  }
  noteRequests(network, session, sent);
  const asksStatus = sent.some(([first]) => first?.name === 'DevStatusReq');
  return { phyPayload, clear, data: { sessionID: session.id, fCnt, queueItemID: item?.id ?? null, asksStatus } };
}

function frameOf({ settings }: Network, session: DeviceSession, content: DownlinkContent, ack: boolean) {
  const { item, fOpts, fPort0, fPending } = content;
  const counter = item ? dataCounterOf(session) : ('nFCntDown' as const);
  const fCnt = item?.fCnt ?? session.nFCntDown;
  const downlink = { isConfirmed: item?.confirmed ?? false, adr: !settings.disableADR, ack, fPending, fOpts };
  const frame = fPort0 ? { fPort: 0, frmPayload: fPort0 } : item;
  return { counter, fCnt, ...sealDataDownlink(session, { ...downlink, fCnt, content: frame }) };
}

/** Stores the requests, so that the answers can be matched. */
function noteRequests({ clock }: Network, session: DeviceSession, blocks: readonly KnownMacCommand[][]): void {
  for (const block of blocks) {
    const [first] = block;
    if (first) session.pendingRequests[first.cid] = encodeMacCommands('down', block).toHex();
    if (first?.name === 'NewChannelReq') session.lastNewChannelRequestedAt = clock.now().getTime();
    expectChannels(session, channelsIn(block));
  }
}

/** The channels of a device after it has followed the requests. */
function channelsIn(block: readonly KnownMacCommand[]): Channel[] {
  return block.flatMap((command) => {
    if (command.name !== 'NewChannelReq' || command.payload.freq === 0) return [];
    const { chIndex: index, freq: frequency, minDR, maxDR } = command.payload;
    return [{ index, frequency, minDR, maxDR }];
  });
}
