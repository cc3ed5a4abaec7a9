/**
 * The path of an uplink through the network server:
 *
 * 1. `journal.ts` stores each copy before its gateway gets an acknowledgement;
 * 2. `collector.ts` gathers the copies of one uplink during the deduplication window;
 * 3. `device-order.ts` finds the device and lets its uplinks through one after the other;
 * 4. `process-uplink.ts` decides about the uplink and writes the decision;
 * 5. `responder.ts` answers the device a moment later.
 *
 * The stages pass plain messages: `StoredCopy`, `CollectedUplink`, `IdentifiedUplink`, `Response`. Among several instances
 * `cluster/cluster.ts` wraps the journal and the admission of uplinks to the device order, and decides how one uplink is
 * processed (`UplinkWork`) and how unfinished copies are found again (`JournalRecovery`).
 */
import type { gw } from '@hilltop/protobuf';
import { countLateCopy } from '../network/airtime.ts';
import { arrivalKeyOf } from '../network/arrival-key.ts';
import type { Network } from '../network/network.ts';
import { BackgroundTasks } from '../platform/background-tasks.ts';
import type { KeyedQueues } from '../platform/keyed-queues.ts';
import { createPauses, type Pauses } from '../platform/pauses.ts';
import type { JournalID } from '../state/state.ts';
import { createStorageWatch } from '../state/storage-watch.ts';
import { type CollectedUplink, type CollectionPolicy, collectingAlone, UplinkCollector } from './collector.ts';
import { DeviceOrder, type UplinkAdmission } from './device-order.ts';
import { logGatewayFrame } from './gateway-frame-log.ts';
import { LocalJournal, type UplinkJournal } from './journal.ts';
import { readCopy, withUplinkID } from './journal-copy.ts';
import { type IdentifiedUplink, localFinish, processUplink, type UplinkWork } from './process-uplink.ts';
import { ProcessingRetry } from './processing-retry.ts';
import { UplinkResponder } from './responder.ts';

/**
 * The input of a deployment to create its stages: the parts of this pipeline, and functions that put uplinks back into
 * it.
 */
export interface PipelineContext {
  network: Network;
  tasks: BackgroundTasks;
  pauses: Pauses;
  journal: UplinkJournal;
  /** Collects a copy that was read from the journal. */
  collectAgain: (frame: gw.UplinkFrame, id: JournalID) => void;
  /** Stores and collects the frame that a relay forwarded in an uplink. */
  forward: (relayed: CollectedUplink, frame: gw.UplinkFrame) => Promise<void>;
  /** Processes everything that was collected, and resolves when all of it is done. */
  settle: () => Promise<void>;
}

/** Processes copies that an earlier run, or a peer, did not finish. */
export interface JournalRecovery {
  /** Resolves when copies that arrive from now on are collected after those. */
  start(): Promise<void>;
  stop(): void;
}

/** How the pipeline runs: in one process, or as one of several instances (`cluster/cluster.ts`). */
export interface PipelineDeployment {
  collection: CollectionPolicy;
  journal(local: UplinkJournal, network: Network): UplinkJournal;
  admission(order: UplinkAdmission, context: PipelineContext): UplinkAdmission;
  work(context: PipelineContext): UplinkWork;
  recovery(context: PipelineContext): JournalRecovery;
}

export const singleProcess: PipelineDeployment = {
  collection: collectingAlone,
  journal: (local) => local,
  admission: (order) => order,
  work:
    ({ network, forward }) =>
    (identified) =>
      processUplink(network, identified, {
        finish: localFinish,
        forward: (frame) => forward(identified.collected, frame),
      }),
  recovery: (context) => ({ start: () => processUnfinished(context), stop: () => undefined }),
};

export class UplinkPipeline {
  readonly #context: PipelineContext;
  readonly #collector: UplinkCollector;
  readonly #admission: UplinkAdmission;
  readonly #work: UplinkWork;
  readonly #retry: ProcessingRetry;
  readonly #responder: UplinkResponder;
  readonly #recovery: JournalRecovery;
  readonly #queues: KeyedQueues;

  constructor(network: Network, queues: KeyedQueues, deployment: PipelineDeployment) {
    const tasks = new BackgroundTasks();
    const pauses = createPauses(network.clock);
    const storage = createStorageWatch(network.state, pauses);
    const journal = deployment.journal(new LocalJournal(network, storage), network);
    this.#retry = new ProcessingRetry(network, storage, journal);
    const context: PipelineContext = {
      network,
      tasks,
      pauses,
      journal,
      collectAgain: (frame, id) => this.#collector.add(frame, id, true),
      forward: (relayed, frame) => this.#forward(relayed, frame),
      settle: () => this.#settle(),
    };
    this.#context = context;
    this.#queues = queues;
    this.#responder = new UplinkResponder(network, queues, tasks);
    this.#work = deployment.work(context);
    const process = (identified: IdentifiedUplink) => this.#process(identified);
    const order = new DeviceOrder({ network, queues, tasks, retry: this.#retry, process });
    this.#admission = deployment.admission(order, context);
    this.#recovery = deployment.recovery(context);
    this.#collector = new UplinkCollector({
      clock: network.clock,
      tasks,
      policy: deployment.collection,
      delayMs: () => network.settings.deduplicationDelayMs,
      process: (collected) => this.#admit(collected),
      late: (id, frame) => this.#finishLate(id, frame),
      surplus: () => network.count('uplink_copies_surplus'),
    });
  }

  /** Resolves when the copies are stored; rejects when they are not. */
  async receive(frames: readonly gw.UplinkFrame[]): Promise<void> {
    const { network, pauses, journal } = this.#context;
    if (pauses.isEnded()) {
      network.count('uplinks_shed', {}, frames.length);
      throw new Error('The network server is stopping.');
    }
    const named = frames.map((frame) => withUplinkID(network.random, frame));
    const arriving = this.#collector.expectStoring(named);
    try {
      for (const [nth, copy] of (await journal.store(named)).entries()) arriving.add(nth, copy);
    } finally {
      arriving.end();
    }
  }

  /** Whether more than half of the allowed unfinished copies exist. */
  isBehind(): boolean {
    const { network, journal } = this.#context;
    return journal.unfinished() > network.settings.maxUnprocessedCopies / 2;
  }

  /** Processes what a crash interrupted; resolves when copies that arrive from now on are collected after that. */
  recover(): Promise<void> {
    return this.#recovery.start();
  }

  /** Accepts nothing more and finishes the accepted copies. */
  async drain(): Promise<void> {
    this.#context.pauses.end();
    this.#recovery.stop();
    await this.#settle();
    this.#retry.reportUnwritten();
    this.#collector.forget();
  }

  #admit(collected: CollectedUplink): void {
    const arrivalKey = arrivalKeyOf(collected.phyPayload);
    this.#context.tasks.add(this.#queues.run(arrivalKey, () => this.#admission.admit(arrivalKey, collected)));
  }

  /** Processes one uplink of a device and passes its response on. */
  async #process(identified: IdentifiedUplink): Promise<void> {
    const { collected } = identified;
    const decision = await this.#retry.run(collected, () => this.#work(identified));
    if (!decision) return;
    this.#context.journal.release(collected.journalIDs);
    if (decision.response) this.#responder.add(decision.response, { isRelay: Boolean(decision.forwarded) });
  }

  #finishLate(id: JournalID, frame: gw.UplinkFrame | null): void {
    const { network, tasks, journal } = this.#context;
    network.count('uplink_copies_late');
    const logFailure = (error: unknown) =>
      network.log.warn({ err: error }, 'The frame log of a gateway lacks a late copy.');
    if (frame) countLateCopy(network, frame);
    if (frame) tasks.add(logGatewayFrame(network, frame).catch(logFailure));
    tasks.add(journal.finish([id]));
  }

  /** Collects the forwarded frame of a relay like any copy, so that it is processed once even when it arrives twice. */
  async #forward({ isTooLateToAnswer }: CollectedUplink, frame: gw.UplinkFrame): Promise<void> {
    const { network, journal } = this.#context;
    const named = withUplinkID(network.random, frame);
    const id = await journal.storeForwarded(named);
    if (id === undefined) return;
    if (!isTooLateToAnswer && named.rxInfo) network.relays.open(named.rxInfo.gatewayID.toHex());
    this.#collector.add(named, id, isTooLateToAnswer);
  }

  async #settle(): Promise<void> {
    const { tasks, pauses } = this.#context;
    this.#collector.flush();
    while (!tasks.isIdle()) {
      await tasks.settle();
      if (pauses.isEnded()) this.#responder.flush();
    }
  }
}

/** Processes everything that the last run did not finish, at most as many copies at once as may be unfinished. */
async function processUnfinished({ network, journal, collectAgain, settle }: PipelineContext): Promise<void> {
  const { state, settings, log } = network;
  const atOnce = settings.maxUnprocessedCopies;
  for (let last = 0; ; ) {
    const unfinished = await state.unfinished(last, atOnce);
    if (unfinished.length > 0)
      log.info({ copies: unfinished.length }, 'Uplinks that the last run did not finish are processed now.');
    journal.claim(unfinished.map(({ id }) => id));
    for (const { id, copy } of unfinished) collectAgain(readCopy(copy), id);
    last = unfinished.at(-1)?.id ?? last;
    if (unfinished.length < atOnce) return;
    await settle();
  }
}
