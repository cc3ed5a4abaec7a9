/** Last stage of the uplink pipeline: answers a device shortly after its uplink, when the application had time to react. */
import { respondToUplink, type UplinkResponse } from '../downlink/class-a.ts';
import { mostGateways } from '../downlink/send.ts';
import type { Network } from '../network/network.ts';
import type { BackgroundTasks } from '../platform/background-tasks.ts';
import { createDelayQueue, type DelayQueue } from '../platform/delay-queue.ts';
import type { KeyedQueues } from '../platform/keyed-queues.ts';

/** The time for processing the uplink that a relay forwarded. */
const relayedWithinMs = 150;

export class UplinkResponder {
  readonly #network: Network;
  readonly #queues: KeyedQueues;
  readonly #tasks: BackgroundTasks;
  readonly #responses: DelayQueue<UplinkResponse>;
  /** A relay gets its response after its forwarded uplink was collected and answered. */
  readonly #relayResponses: DelayQueue<UplinkResponse>;

  constructor(network: Network, queues: KeyedQueues, tasks: BackgroundTasks) {
    this.#network = network;
    this.#queues = queues;
    this.#tasks = tasks;
    const answer = (response: UplinkResponse) => this.#answer(response, 1);
    const delayMs = () => network.settings.getDownlinkDataDelayMs;
    const relayDelayMs = () => network.settings.deduplicationDelayMs + delayMs() + relayedWithinMs;
    this.#responses = createDelayQueue(network.clock, delayMs, answer);
    this.#relayResponses = createDelayQueue(network.clock, relayDelayMs, answer);
  }

  add(response: UplinkResponse, { isRelay }: { isRelay: boolean }): void {
    (isRelay ? this.#relayResponses : this.#responses).add(response);
  }

  /** Answers all waiting uplinks at once. */
  flush(): void {
    this.#responses.flush();
    this.#relayResponses.flush();
  }

  #answer(response: UplinkResponse, tries: number): void {
    this.#tasks.add(this.#queues.run(response.session.devEUI, () => this.#respond(response, tries)));
  }

  async #respond(response: UplinkResponse, tries: number): Promise<void> {
    const tryAgain = tries < mostGateways ? () => this.#answer(response, tries + 1) : undefined;
    try {
      await respondToUplink(this.#network, response, tryAgain);
    } catch (error) {
      this.#network.count('downlinks_failed');
      this.#network.log.error({ err: error, devEUI: response.session.devEUI }, 'A response could not be sent.');
    }
  }
}
