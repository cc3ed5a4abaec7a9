/** Where uplinks come in: to disk first, then collected, processed in the order of each device, answered a moment later. */
import type { gw } from '@hilltop/protobuf';
import { type Response, respondToUplink } from '../downlink/class-a.ts';
import { mostGateways } from '../downlink/send.ts';
import { arrivalKeyOf, arrivalKeyOfDevAddr } from '../network/arrival-key.ts';
import type { Network } from '../network/network.ts';
import { createDelayQueue } from '../platform/delay-queue.ts';
import type { KeyedQueues } from '../platform/keyed-queues.ts';
import { createPauses } from '../platform/pauses.ts';
import type { CopyOwner, CrossInstanceDeduplication } from '../ports/cross-instance-deduplication.ts';
import type { JournalEntry, JournalID } from '../state/state.ts';
import { createStorageWatch } from '../state/storage-watch.ts';
import { type CollectedUplink, createCollector, keyOf } from './collect.ts';
import { finishEarlier, finishEnded } from './earlier.ts';
import { createForgeries } from './forgeries.ts';
import { logGatewayFrame } from './gateway-frame.ts';
import { readCopy, withUplinkID, writeCopy } from './journal-copy.ts';
import { type Addressed, addressUplink, processUplink } from './process.ts';
import { watchStandStill } from './stand-still.ts';

export interface Intake {
  /** Resolves when the copies are on disk, rejects when they were not taken. */
  receive(frames: readonly gw.UplinkFrame[]): Promise<void>;
  /** Whether half of what may wait to be processed does. */
  isBehind(): boolean;
  /** Takes up what a crash interrupted; resolves when what comes from now on comes after it. */
  recover(): Promise<void>;
  /** Takes nothing more and finishes what it has. */
  drain(): Promise<void>;
}

/** An uplink on which the work itself fails is tried so often, then given up: it must not stand in the way for ever. */
const mostTries = 3;
/** What processes that have ended left is looked for so often, and so much of it at once. */
const lookAgainMs = 1000;
const abandonedAtOnce = 500;
/**
 * While nobody can say who else has an uplink, and when one that had it has ended, each process gives those before it so
 * long to handle it: what they have done is no work any more, and what two do at once is done over and over. The third
 * still answers in time.
 */
const turnMs = 200;
/** Whoever has an earlier uplink of a device in hand is given so long to finish it; the later one is still answered in time. */
const yieldMs = 100;
/** So long the work itself may take on what a relay forwarded. */
const relayedWithinMs = 150;

/** What a lane is given by who only waits for its turn. */
const pass = async () => {};

export function createIntake(network: Network, lanes: KeyedQueues): Intake {
  const { clock, log, state } = network;
  const underway = new Set<Promise<void>>();
  const pauses = createPauses(clock);
  const storage = createStorageWatch(state, pauses);
  /** By arrival lane, of DevAddrs that one device alone has: its uplinks that wait or are worked on. */
  const queues = new Map<string, { devEUI: string; length: number }>();
  const forgeries = createForgeries(clock);
  let unprocessed = 0;
  /** Of the journal, when others work on it too. */
  const inHand = network.crossInstance ? new Set<JournalID>() : null;
  const standStill = network.crossInstance ? watchStandStill(clock) : null;
  let endLooking: (() => void) | null = null;

  const collector = createCollector({
    clock,
    delayMs: () => network.settings.deduplicationDelayMs,
    process: (collected) => {
      const arrival = arrivalKeyOf(collected.phyPayload);
      const enter = admission(arrival, collected);
      const { allCopiesStored: whole } = collected;
      track(lanes.run(arrival, whole ? () => whole.then(enter) : enter));
    },
    late: (journalID, frame) => {
      network.count('uplink_copies_late');
      if (frame) track(logGatewayFrame(network, frame).catch(notShown));
      track(finish([journalID]));
    },
    surplus: () => network.count('uplink_copies_surplus'),
    isShared: inHand !== null,
  });
  const answer = (response: Response, tries = 1): void =>
    track(lanes.run(response.session.devEUI, () => respond(response, tries)));
  const answerFirst = (response: Response) => answer(response);
  const responses = createDelayQueue<Response>(clock, () => network.settings.getDownlinkDataDelayMs, answerFirst);
  /** To relays: what they forwarded is collected and answered before. */
  const relayResponses = createDelayQueue<Response>(
    clock,
    () => network.settings.deduplicationDelayMs + network.settings.getDownlinkDataDelayMs + relayedWithinMs,
    answerFirst,
  );

  function notShown(error: unknown): void {
    log.warn({ err: error }, 'A late copy could not be shown in the frame log of its gateway.');
  }

  function track(work: Promise<void>): void {
    underway.add(work);
    void work.finally(() => underway.delete(work));
  }

  function release(ids: readonly JournalID[]): void {
    unprocessed -= ids.length;
    if (inHand) for (const id of ids) inHand.delete(id);
  }

  function takeInHand(entries: readonly JournalEntry[]): void {
    unprocessed += entries.length;
    if (inHand) for (const { id } of entries) inHand.add(id);
  }

  function admission(arrival: string, collected: CollectedUplink): () => Promise<void> {
    const { crossInstance: copies } = network;
    if (copies && collected.owners) return () => admitShared(copies, arrival, collected);
    if (copies && collected.isRecovered) return () => admitInTurn(copies, arrival, collected);
    return () => admit(arrival, collected);
  }

  /** Goes on with an uplink that other processes may have heard too, if it is ours, and with what they heard of it. */
  async function admitShared(
    copies: CrossInstanceDeduplication,
    arrival: string,
    collected: CollectedUplink,
  ): Promise<void> {
    const places = await Promise.all(collected.owners ?? []);
    const at = (...which: CopyOwner[]) => collected.journalIDs.filter((_, index) => which.includes(places[index]!));
    network.count('uplink_copies_late', {}, at('late').length);
    // Whoever has the uplink finishes them. What is still in the journal after a while is looked at again.
    release(at('elsewhere'));
    // Whoever has read what belongs to it has a copy in the journal, too: it is told whatever becomes of these.
    if (places.includes('late')) track(finish(at('late')));
    collected.journalIDs = at('mine', 'unknown');
    if (collected.journalIDs.length === 0) return;
    if (!places.includes('mine')) return await admitInTurn(copies, arrival, collected);
    await gather(copies, collected);
    await admit(arrival, collected);
  }

  async function admitInTurn(
    copies: CrossInstanceDeduplication,
    arrival: string,
    collected: CollectedUplink,
  ): Promise<void> {
    await pauses.wait(copies.priorityOf(arrival) * turnMs);
    await admit(arrival, collected);
  }

  async function gather(copies: CrossInstanceDeduplication, collected: CollectedUplink): Promise<void> {
    const all = await copies.collectCopies(keyOf(collected.phyPayload, collected.txInfo));
    const others = all.filter((id) => !collected.journalIDs.includes(id));
    if (others.length === 0) return;
    const heard = await state.journalled(others).catch(() => []);
    takeInHand(heard.filter(({ id, copy }) => collector.join(collected, readCopy(copy), id)));
  }

  /** Takes up what processes that have ended left in the journal, and what of ours is in nobody's hand. */
  async function takeAbandoned(inHand: ReadonlySet<JournalID>, copies: CrossInstanceDeduplication): Promise<void> {
    for (let last = 0, isMore = true; isMore; ) {
      const found = await state.abandoned(last, abandonedAtOnce, { inHand, left: copies.orphanedCopies() });
      // Some may have been taken in hand meanwhile.
      const left = found.filter(({ id }) => !inHand.has(id));
      if (left.length > 0) log.info({ copies: left.length }, 'Uplinks that nobody works on are processed now.');
      network.count('uplink_copies_taken_over', {}, left.length);
      takeInHand(left);
      for (const { id, copy } of left) collector.add(readCopy(copy), id, true);
      last = found.at(-1)?.id ?? last;
      isMore = found.length === abandonedAtOnce;
    }
  }

  /** Looks for that again and again, and at once when a process is missed. */
  function keepLooking(inHand: ReadonlySet<JournalID>, copies: CrossInstanceDeduplication): () => void {
    let cancel: () => void = () => undefined;
    let isLooking = false;
    let isMissed = false;
    const later = () => (cancel = clock.after(lookAgainMs, () => track(look())));
    async function look(): Promise<void> {
      isLooking = true;
      do {
        isMissed = false;
        await takeAbandoned(inHand, copies).catch((error: unknown) =>
          log.error({ err: error }, 'The journal could not be looked through.'),
        );
      } while (isMissed);
      isLooking = false;
      if (!pauses.isEnded()) later();
    }
    later();
    const stopHearing = copies.onPeerLost(() => {
      isMissed = true;
      if (isLooking || pauses.isEnded()) return;
      cancel();
      track(look());
    });
    return () => {
      stopHearing();
      cancel();
    };
  }

  /** Lets an uplink wait for the turn of its device; the next one of the DevAddr need not wait for that. */
  async function admit(arrival: string, collected: CollectedUplink): Promise<void> {
    const queue = queues.get(arrival);
    // What is read of the device now would be old when its turn comes, and heavy to keep until then.
    const inTurn = (devEUI: string) => enter(arrival, devEUI, () => processInTurn(arrival, devEUI, collected));
    if (queue && !forgeries.isSuspect(arrival)) return track(inTurn(queue.devEUI));
    const addressed = await address(collected);
    if (!addressed) return;
    if (queue && addressed.devEUI === queue.devEUI) return track(inTurn(queue.devEUI));
    if (queue && isForged(addressed)) return admitDoubtful(arrival, queue.devEUI, addressed);
    dispatch(arrival, addressed);
  }

  /** Its code is wrong as far as is known now: it stands in nobody's way, and few of its like wait. */
  function admitDoubtful(arrival: string, devEUI: string, addressed: Addressed): void {
    const { collected } = addressed;
    const gatewayID = collected.rxInfo[0]?.gatewayID.toHex() ?? '';
    const leave = forgeries.wait(arrival, gatewayID);
    if (!leave) return dispatch(arrival, addressed);
    const look = async () => {
      await lanes.run(devEUI, pass);
      const again = await address(collected);
      if (again) dispatch(arrival, again);
    };
    track(lanes.run(`doubtful ${arrival}`, look).finally(leave));
  }

  async function processInTurn(arrival: string, devEUI: string, collected: CollectedUplink): Promise<void> {
    const addressed = await address(collected);
    if (addressed?.devEUI === devEUI) await process(addressed);
    else if (addressed) dispatch(arrival, addressed);
  }

  /** Finds out whose an uplink is. */
  async function address(collected: CollectedUplink): Promise<Addressed | null> {
    const addressed = await retryUntilStored(collected, () => addressUplink(network, collected));
    if (addressed && isForged(addressed)) forgeries.note(arrivalKeyOf(collected.phyPayload));
    return addressed;
  }

  function dispatch(arrival: string, addressed: Addressed): void {
    const { devEUI } = addressed;
    if (devEUI === null) return track(process(addressed));
    if (addressed.frame?.mType === 'JoinRequest')
      return track(lanes.run(`join ${devEUI}`, () => join(addressed, devEUI)));
    if (lanes.isBusy(devEUI)) addressed.sender = null;
    const work = () => process(addressed);
    track(addressed.isOnlyDevice ? enter(arrival, devEUI, work) : lanes.run(devEUI, work));
  }

  /**
   * A join-request ends the session that an earlier one promised: what came before it under that comes first. Anybody can
   * make one up, so nothing waits for it.
   */
  async function join(addressed: Addressed, devEUI: string): Promise<void> {
    const sessions = await retryUntilStored(addressed.collected, () => state.sessionsInBrief(devEUI));
    if (!sessions) return;
    const { current, pending } = sessions;
    for (const session of [current, pending]) if (session) await lanes.run(arrivalKeyOfDevAddr(session.devAddr), pass);
    await lanes.run(devEUI, pass);
    await process(addressed);
  }

  async function enter(arrival: string, devEUI: string, work: () => Promise<void>): Promise<void> {
    const queue = queues.get(arrival) ?? { devEUI, length: 0 };
    queues.set(arrival, queue);
    queue.length += 1;
    try {
      await lanes.run(devEUI, work);
    } finally {
      queue.length -= 1;
      if (queue.length === 0) queues.delete(arrival);
    }
  }

  const yieldToOwner = () => pauses.wait(yieldMs);

  async function process(addressed: Addressed): Promise<void> {
    const { collected } = addressed;
    const decision = await retryUntilStored(collected, async () => {
      await finishEnded(network, addressed);
      await finishEarlier(network, addressed, { giveWay: yieldToOwner, forward });
      return await processUplink(network, addressed, (frame) => forward(collected, frame));
    });
    if (!decision) return;
    release(collected.journalIDs);
    if (decision.response) (decision.forwarded ? relayResponses : responses).add(decision.response);
  }

  /** Takes what a relay forwarded as it takes what gateways hear: should it come twice, it is done once. */
  async function forward({ isRecovered }: CollectedUplink, frame: gw.UplinkFrame): Promise<void> {
    const named = withUplinkID(network.random, frame);
    const [id] = await state.receive([writeCopy(named)]);
    if (id === undefined) return;
    unprocessed += 1;
    inHand?.add(id);
    if (!isRecovered && named.rxInfo) network.relays.open(named.rxInfo.gatewayID.toHex());
    collector.add(named, id, isRecovered);
  }

  /**
   * Works until it is done. While storage is away it waits, as long as that takes: what was acknowledged is not lost. The
   * work's own failures are few and end the uplink. null: nothing more is to be done, or not before the next start.
   */
  async function retryUntilStored<T>(collected: CollectedUplink, work: () => Promise<T>): Promise<T | null> {
    for (let tries = 1; ; ) {
      try {
        return await work();
      } catch (error) {
        network.count('uplinks_failed');
        const failure = await storage.judge(error);
        if (failure === 'ended') {
          log.error({ err: error }, 'An uplink could not be written before the stop; the next start takes it up.');
          return null;
        }
        if (failure === 'storage') collected.isRecovered = true;
        else if (tries < mostTries) tries += 1;
        else return await giveUp(collected, error);
      }
    }
  }

  async function giveUp({ phyPayload, journalIDs }: CollectedUplink, error: unknown): Promise<null> {
    network.count('uplinks_dropped', { reason: 'failed' });
    log.error(
      { err: error, phyPayload: phyPayload.toHex() },
      'An uplink was given up: working on it fails every time.',
    );
    await finish(journalIDs);
    return null;
  }

  async function respond(response: Response, tries: number): Promise<void> {
    const again = tries < mostGateways ? () => answer(response, tries + 1) : undefined;
    try {
      await respondToUplink(network, response, again);
    } catch (error) {
      network.count('downlinks_failed');
      log.error({ err: error, devEUI: response.session.devEUI }, 'A response could not be sent.');
    }
  }

  /** Ends journal rows; they count as unprocessed until storage has taken that. */
  async function finish(ids: JournalID[]): Promise<void> {
    for (let isDone = false; !isDone; ) {
      try {
        await state.commit({ writes: [{ kind: 'finish', ids }], effects: [] });
        isDone = true;
      } catch (error) {
        isDone = (await storage.judge(error)) !== 'storage';
        if (isDone) log.error({ err: error }, 'A journal row could not be removed; the next start takes it up.');
      }
    }
    release(ids);
  }

  async function settle(): Promise<void> {
    collector.hurry();
    while (underway.size > 0) {
      await Promise.allSettled(underway);
      if (!pauses.isEnded()) continue;
      responses.flush();
      relayResponses.flush();
    }
  }

  return {
    async receive(frames) {
      const isStopping = pauses.isEnded();
      if (isStopping || unprocessed + frames.length > network.settings.maxUnprocessedCopies) {
        network.count('uplinks_shed', {}, frames.length);
        throw new Error(isStopping ? 'The network server is stopping.' : 'Too many uplinks wait to be processed.');
      }
      unprocessed += frames.length;
      const receivedAt = standStill?.earliest() ?? clock.now().getTime();
      const named = frames.map((frame) => withUplinkID(network.random, frame));
      const arriving = collector.expect(named);
      try {
        const ids = await state.receive(named.map(writeCopy));
        network.count('uplink_copies', {}, frames.length);
        const places = network.crossInstance && tell(network.crossInstance, named, ids);
        for (const [place, id] of ids.entries()) {
          inHand?.add(id);
          const shared = places?.[place];
          arriving.add(place, id, shared && { place: shared, receivedAt });
        }
      } catch (error) {
        unprocessed -= frames.length;
        throw error;
      } finally {
        arriving.end();
      }
    },
    isBehind: () => unprocessed > network.settings.maxUnprocessedCopies / 2,
    async recover() {
      const { crossInstance: copies } = network;
      if (inHand && copies) {
        await takeAbandoned(inHand, copies);
        endLooking = keepLooking(inHand, copies);
        return;
      }
      const atOnce = network.settings.maxUnprocessedCopies;
      let last = 0;
      for (;;) {
        const left = await state.unfinished(last, atOnce);
        if (left.length > 0) log.info({ copies: left.length }, 'Uplinks left by the last run are processed now.');
        unprocessed += left.length;
        for (const { id, copy } of left) collector.add(readCopy(copy), id, true);
        last = left.at(-1)?.id ?? last;
        if (left.length < atOnce) return;
        await settle();
      }
    },
    async drain() {
      pauses.end();
      endLooking?.();
      standStill?.end();
      await settle();
      collector.forget();
    },
  };
}

/** Somebody has its DevAddr, and its code fits none of their sessions. */
function isForged({ devEUI, sender }: Addressed): boolean {
  return devEUI === null && sender !== null && sender.first !== null;
}

/** Tells the other processes of copies; answers where each is handled, when that is known. */
function tell(
  copies: CrossInstanceDeduplication,
  frames: readonly gw.UplinkFrame[],
  ids: readonly JournalID[],
): Promise<CopyOwner>[] {
  const keys = frames.map(({ phyPayload, txInfo }) => (txInfo ? keyOf(phyPayload, txInfo) : ''));
  const places = copies.add(ids.map((id, at) => ({ key: keys[at] ?? '', id })));
  return ids.map(async (_, at) => (await places)[at] ?? 'unknown');
}
