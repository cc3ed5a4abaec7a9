/** The answer to a data uplink: what the device may hear in the windows it opens after sending. */
import { encodeMacCommands, type KnownMacCommand, type MacCommand, maxPayloadSize } from '@hilltop/lorawan';
import type { Effect } from '../application-server.ts';
import { effectOf } from '../effect-of.ts';
import { networkRequests } from '../mac/requests.ts';
import type { Network } from '../network.ts';
import type { DeviceProfileRecord, ServiceProfileRecord } from '../state/records.ts';
import type { DeviceSession, Receiver } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';
import type { Uplink } from '../uplink/uplink.ts';
import { chooseGateway } from './choose-gateway.ts';
import { type Content, chooseContent } from './content.ts';
import { sealDataDownlink } from './data-frame.ts';
import { buildDownlinkFrame } from './downlink-frame.ts';
import { dataCounterOf, usableQueue } from './queue.ts';
import { receiveWindows, type Window } from './windows.ts';

/** What an uplink left behind for its answer. */
export interface Response {
  /** As saved with the uplink. */
  session: DeviceSession;
  deviceProfile: DeviceProfileRecord;
  serviceProfile: ServiceProfileRecord;
  uplink: Uplink;
  isConfirmed: boolean;
  mustSend: boolean;
  answers: MacCommand[];
}

const attempts = 3;

/**
 * Sends the response to an uplink when there is anything to say. A device that has sent again since then listens after
 * that uplink, which will be answered instead.
 */
export async function respondToUplink(network: Network, response: Response): Promise<void> {
  const { devEUI, id, fCntUp } = response.session;
  let queue = await network.state.queue(devEUI);
  if (!hasSomethingToSay(network, response, queue)) return;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { current } = await network.state.sessions(devEUI);
    if (current?.id !== id) return;
    if (current.fCntUp !== fCntUp) return network.count('downlinks_superseded');
    if (await respond(network, { ...response, session: current }, queue)) return;
    queue = await network.state.queue(devEUI);
  }
  network.count('downlinks_contended');
}

function hasSomethingToSay(network: Network, response: Response, queue: readonly QueueItem[]): boolean {
  const { isConfirmed, mustSend, answers } = response;
  if (queue.length > 0 || isConfirmed || mustSend || answers.length > 0) return true;
  return networkRequests({ network, ...response }).length > 0;
}

/** `false`: the session changed meanwhile, so that everything must be thought over. */
async function respond(network: Network, response: Response, queue: readonly QueueItem[]): Promise<boolean> {
  const { session, uplink, isConfirmed, mustSend, answers } = response;
  const windows = sizedWindows(network, response);
  const [first] = windows;
  const receiver = chooseGateway(network, session.receivers, uplink);
  const usable = await usableQueue(network, session, queue);
  const { writes, effects } = usable;
  if (!first || !receiver) {
    network.count('downlinks_without_gateway');
    network.log.info({ devEUI: session.devEUI }, 'No gateway that heard the device can send the response.');
    return await network.state.commit({ writes, effects });
  }
  const content = chooseContent(first.limit, answers, networkRequests({ network, ...response }), usable.items);
  for (const item of content.tooLarge) {
    writes.push({ kind: 'deleteQueueItem', devEUI: session.devEUI, id: item.id });
    effects.push(...(await tooLarge(network, session, item)));
  }
  if (content.sent.length > 0) {
    noteRequests(network, session, content.sent);
    writes.push({ kind: 'saveSession', session });
  }
  if (writes.length + effects.length > 0 && !(await network.state.commit({ writes, effects }))) return false;
  const isNothing = !content.item && !content.fPort0 && content.fOpts.length === 0;
  if (!isNothing || isConfirmed || mustSend) send(network, response, content, receiver, windows);
  return true;
}

function send(
  network: Network,
  { session, isConfirmed }: Response,
  { item, fOpts, fPort0, fPending }: Content,
  receiver: Receiver,
  windows: readonly SizedWindow[],
): void {
  const fCnt = item?.fCnt ?? session.nFCntDown;
  const { phyPayload, clear } = sealDataDownlink(session, {
    fCnt,
    isConfirmed: item?.confirmed ?? false,
    adr: !network.settings.disableADR,
    ack: isConfirmed,
    fPending,
    fOpts,
    content: fPort0 ? { fPort: 0, frmPayload: fPort0 } : item,
  });
  const size = fOpts.length + (fPort0 ?? item?.frmPayload ?? '').length;
  const items = windows.filter(({ limit }) => limit >= size).map((window) => ({ window, phyPayload }));
  const frame = buildDownlinkFrame(network, receiver, items);
  network.transmissions.add({
    frame,
    devEUI: session.devEUI,
    devAddr: session.devAddr,
    clear: items.map(() => clear),
    data: {
      sessionID: session.id,
      fCnt,
      counter: item ? dataCounterOf(session) : 'nFCntDown',
      queueItemID: item?.id ?? null,
    },
  });
  network.count('downlinks');
  if (!network.gateways.send(receiver.gatewayID, frame)) network.count('downlinks_without_gateway');
}

type SizedWindow = Window & { limit: number };

/** The windows whose data-rate this device may be answered at, with their room for FOpts and FRMPayload. */
function sizedWindows(network: Network, { session, deviceProfile, uplink }: Response): SizedWindow[] {
  const { macVersion, regParamsRevision } = deviceProfile;
  const options = { repeater: network.settings.repeaterCompatible, dwell: session.downlinkDwellTime400ms };
  return receiveWindows(network, uplink, session, regParamsRevision).flatMap((window) => {
    const size = maxPayloadSize(network.region, macVersion, regParamsRevision, window.dr, options);
    return size ? [{ ...window, limit: size.n }] : [];
  });
}

function tooLarge(network: Network, { devEUI }: DeviceSession, { fCnt }: QueueItem): Promise<Effect[]> {
  const error = 'payload exceeds max payload size';
  const event = { devEui: Uint8Array.fromHex(devEUI), type: 'DEVICE_QUEUE_ITEM_SIZE', error, fCnt } as const;
  return effectOf(network, network.applicationServer.handleError(event), devEUI);
}

/** Remembers what was asked, so that the answers are understood. */
function noteRequests(network: Network, session: DeviceSession, blocks: readonly KnownMacCommand[][]): void {
  for (const block of blocks) {
    const [first] = block;
    if (!first) continue;
    session.pendingRequests[first.cid] = encodeMacCommands('down', block).toHex();
    if (first.name === 'DevStatusReq') session.lastDevStatusRequestedAt = network.clock.now().getTime();
  }
}
