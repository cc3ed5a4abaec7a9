import type { Duplex } from 'node:stream';
import type { ErrorBoundary } from '@hilltop/network-server';
import type { IPublishPacket } from 'mqtt-packet';
import { acknowledgement, pubAck, pubComp, pubRec } from './packet-codec.ts';
import { type Reason, Refusal } from './reasons.ts';
import { mostUnacknowledgedFromClient, type Published, type Receiver } from './signed-in.ts';

interface PublishedMessagesDependencies {
  stream: Duplex;
  boundary: ErrorBoundary;
  version: () => Receiver['version'];
  isClosed: () => boolean;
  /** Resolves when the rate limit allows the next message. */
  pace: () => Promise<void>;
  publish: (message: Published) => Promise<Reason | undefined>;
  send: (bytes: Buffer) => void | Promise<void>;
  close: (reason: Reason) => void;
  /** A message failed for another reason than a Refusal; the connection ends with `unavailable`. */
  onFailure: (error: unknown) => void;
}

const mostLevels = 20;
/** The most bytes of messages that wait for earlier ones. */
const mostWaitingBytes = 256 << 10;

/** The messages that one client publishes: processed one after the other, and acknowledged in that order. */
export class PublishedMessages {
  readonly #needs: PublishedMessagesDependencies;
  /** Resolves when the messages so far are processed. */
  #processed = Promise.resolve();
  #waiting = 0;
  #waitingBytes = 0;
  #unacknowledged = 0;
  /** Identifiers of messages with quality of service 2 that the client has not released. */
  readonly #unreleased = new Set<number>();

  constructor(needs: PublishedMessagesDependencies) {
    this.#needs = needs;
  }

  /** Resolves when everything that was published so far is processed. */
  get processed(): Promise<void> {
    return this.#processed;
  }

  /** Queues a message of `size` bytes. A returned promise pauses reading until it resolves. */
  add(packet: IPublishPacket, size: number): void | Promise<void> {
    const { close, boundary, stream } = this.#needs;
    const { qos } = packet;
    const problem = this.#problemOf(packet) ?? this.#count(packet);
    if (typeof problem === 'string') return close(problem);
    this.#waiting += 1;
    this.#waitingBytes += size;
    this.#processed = this.#processed
      .then(() => this.#process(packet, problem.isRepeated))
      .catch((error: unknown) => boundary.end(stream, 'handler', error))
      .finally(() => {
        this.#waiting -= 1;
        this.#waitingBytes -= size;
        if (qos === 1) this.#unacknowledged -= 1;
      });
    // Reads one more message than the receive maximum, to notice a client that exceeds it.
    if (this.#waiting > mostUnacknowledgedFromClient || this.#waitingBytes > mostWaitingBytes) return this.#processed;
  }

  /** Handles the release of a message with quality of service 2. */
  release(messageID: number): void | Promise<void> {
    this.#unreleased.delete(messageID);
    return this.#needs.send(acknowledgement(pubComp, messageID));
  }

  #problemOf({ topic, qos, messageId = 0, properties }: IPublishPacket): Reason | undefined {
    if (properties?.topicAlias !== undefined) return 'topic_alias';
    if (topic === '' || /[#+\0]/.test(topic) || topic.split('/').length > mostLevels) return 'topic';
    if (qos > 0 && messageId < 1) return 'malformed';
    return this.#needs.version() === 5 && qos === 2 ? 'qos' : undefined;
  }

  /** Counts a message that must be acknowledged, unless it repeats one that was not released. */
  #count({ qos, messageId = 0 }: IPublishPacket): Reason | { isRepeated: boolean } {
    const isRepeated = qos === 2 && this.#unreleased.has(messageId);
    if (qos === 0 || isRepeated) return { isRepeated };
    const open = this.#unacknowledged + this.#unreleased.size;
    const mustStop = this.#needs.version() === 5 || qos === 2;
    if (open >= mostUnacknowledgedFromClient && mustStop) return 'receive_maximum';
    if (qos === 2) this.#unreleased.add(messageId);
    else this.#unacknowledged += 1;
    return { isRepeated };
  }

  /** Never rejects. A message is on disk before it is acknowledged. */
  async #process({ topic, payload, qos, messageId = 0, dup }: IPublishPacket, isRepeated: boolean): Promise<void> {
    const { version, isClosed, pace, publish, close, onFailure } = this.#needs;
    const acknowledge = (type: number, reason?: Reason) =>
      void this.#needs.send(acknowledgement(type, messageId, reason));
    if (isClosed()) return;
    if (isRepeated) return acknowledge(pubRec);
    let refusal: Reason | undefined;
    try {
      await pace();
      if (isClosed()) return;
      const messageID = qos > 0 ? messageId : undefined;
      refusal = await publish({ topic, payload: payload as Buffer, qos, messageID, isDuplicate: dup ?? false });
    } catch (error) {
      if (!(error instanceof Refusal)) {
        onFailure(error);
        return close('unavailable');
      }
      // Only version 5 can refuse a message and continue.
      if (version() === 5 && qos === 1 && error.reason !== 'unavailable') return acknowledge(pubAck, error.reason);
      return close(error.reason);
    }
    if (qos === 1) acknowledge(pubAck, version() === 5 ? refusal : undefined);
    if (qos === 2) acknowledge(pubRec);
  }
}
