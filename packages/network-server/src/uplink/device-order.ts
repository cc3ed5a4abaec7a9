/**
 * Third stage of the uplink pipeline: finds the device of each uplink and passes its uplinks on one after the other.
 */
import { arrivalKeyOf, arrivalKeyOfDevAddr } from '../network/arrival-key.ts';
import type { Network } from '../network/network.ts';
import type { BackgroundTasks } from '../platform/background-tasks.ts';
import type { KeyedQueues } from '../platform/keyed-queues.ts';
import type { CollectedUplink } from './collector.ts';
import { createForgeries } from './forgeries.ts';
import { type IdentifiedUplink, identifyUplink } from './process-uplink.ts';
import type { ProcessingRetry } from './processing-retry.ts';

/** Accepts collected uplinks, those under one arrival key one after the other. */
export interface UplinkAdmission {
  /** Resolves when the next uplink under the arrival key may follow. */
  admit(arrivalKey: string, collected: CollectedUplink): Promise<void>;
}

type ProcessIdentified = (identified: IdentifiedUplink) => Promise<void>;

export class DeviceOrder implements UplinkAdmission {
  readonly #network: Network;
  readonly #queues: KeyedQueues;
  readonly #tasks: BackgroundTasks;
  readonly #retry: ProcessingRetry;
  readonly #process: ProcessIdentified;
  readonly #forgeries: ReturnType<typeof createForgeries>;
  /** By arrival key, if a single device has the DevAddr: how many of its uplinks wait or are processed. */
  readonly #waiting = new Map<string, { devEUI: string; uplinks: number }>();

  constructor(needs: {
    network: Network;
    queues: KeyedQueues;
    tasks: BackgroundTasks;
    retry: ProcessingRetry;
    process: ProcessIdentified;
  }) {
    this.#network = needs.network;
    this.#queues = needs.queues;
    this.#tasks = needs.tasks;
    this.#retry = needs.retry;
    this.#process = needs.process;
    this.#forgeries = createForgeries(needs.network.clock);
  }

  /** Puts an uplink into the queue of its device; the next one of the DevAddr does not wait for its processing. */
  async admit(arrivalKey: string, collected: CollectedUplink): Promise<void> {
    const known = this.#waiting.get(arrivalKey);
    // Sessions read now would be outdated when the uplink is processed, and would use memory until then.
    if (known && !this.#forgeries.isSuspect(arrivalKey))
      return this.#identifyLater(arrivalKey, known.devEUI, collected);
    const identified = await this.#identify(collected);
    if (!identified) return;
    if (known && identified.devEUI === known.devEUI) return this.#identifyLater(arrivalKey, known.devEUI, collected);
    if (known && fitsNoSession(identified)) return this.#admitDoubtful(arrivalKey, known.devEUI, identified);
    this.#enqueue(arrivalKey, identified);
  }

  #identifyLater(arrivalKey: string, devEUI: string, collected: CollectedUplink): void {
    const work = async () => {
      const identified = await this.#identify(collected);
      if (identified?.devEUI === devEUI) await this.#process(identified);
      else if (identified) this.#enqueue(arrivalKey, identified);
    };
    this.#tasks.add(this.#runForOnlyDevice(arrivalKey, devEUI, work));
  }

  async #identify(collected: CollectedUplink): Promise<IdentifiedUplink | null> {
    const identified = await this.#retry.run(collected, () => identifyUplink(this.#network, collected));
    if (identified && fitsNoSession(identified)) this.#forgeries.note(arrivalKeyOf(collected.phyPayload));
    return identified;
  }

  /**
   * Handles an uplink whose MIC fits no session now, but may fit one when the uplinks before it are processed. It
   * blocks no other uplink, and only a few of its kind wait.
   */
  #admitDoubtful(arrivalKey: string, devEUI: string, doubtful: IdentifiedUplink): void {
    const { collected } = doubtful;
    const gatewayID = collected.rxInfo[0]?.gatewayID.toHex() ?? '';
    const stopWaiting = this.#forgeries.wait(arrivalKey, gatewayID);
    if (!stopWaiting) return this.#enqueue(arrivalKey, doubtful);
    const identifyAgain = async () => {
      await this.#queues.whenDone(devEUI);
      const identified = await this.#identify(collected);
      if (identified) this.#enqueue(arrivalKey, identified);
    };
    this.#tasks.add(this.#queues.run(`doubtful ${arrivalKey}`, identifyAgain).finally(stopWaiting));
  }

  #enqueue(arrivalKey: string, identified: IdentifiedUplink): void {
    const { devEUI } = identified;
    if (devEUI === null) return this.#tasks.add(this.#process(identified));
    if (identified.frame?.mType === 'JoinRequest')
      return this.#tasks.add(this.#queues.run(`join ${devEUI}`, () => this.#join(identified, devEUI)));
    if (this.#queues.isBusy(devEUI)) identified.sender = null;
    const work = () => this.#process(identified);
    const queued = identified.isOnlyDevice
      ? this.#runForOnlyDevice(arrivalKey, devEUI, work)
      : this.#queues.run(devEUI, work);
    this.#tasks.add(queued);
  }

  /**
   * A join-request ends the session that the last one has replaced, so uplinks that arrived in that session are
   * processed first. Anybody can forge a join-request, so no uplink waits for it.
   */
  async #join(identified: IdentifiedUplink, devEUI: string): Promise<void> {
    const sessions = await this.#retry.run(identified.collected, () => this.#network.state.sessionsInBrief(devEUI));
    if (!sessions) return;
    for (const session of [sessions.current, sessions.pending, sessions.replaced])
      if (session) await this.#queues.whenDone(arrivalKeyOfDevAddr(session.devAddr));
    await this.#queues.whenDone(devEUI);
    await this.#process(identified);
  }

  async #runForOnlyDevice(arrivalKey: string, devEUI: string, work: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting.get(arrivalKey) ?? { devEUI, uplinks: 0 };
    this.#waiting.set(arrivalKey, waiting);
    waiting.uplinks += 1;
    try {
      await this.#queues.run(devEUI, work);
    } finally {
      waiting.uplinks -= 1;
      if (waiting.uplinks === 0) this.#waiting.delete(arrivalKey);
    }
  }
}

/** A registered device has the DevAddr, and the MIC fits none of its sessions. */
function fitsNoSession({ devEUI, sender }: IdentifiedUplink): boolean {
  return devEUI === null && sender !== null && sender.first !== null;
}
