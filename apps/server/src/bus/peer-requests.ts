import type { BusAnswer, BusQuestion, BusQuestionOf } from './bus.ts';
import { envelopeVersion, readMessage } from './messages.ts';
import type { SignedChannels } from './signed-channels.ts';

/** A question, or the answer to the one with the same number. */
interface RequestEnvelope {
  v: number;
  from: string;
  number: number;
  question?: BusQuestion;
  body: unknown;
}

type AnswerListener = (body: unknown, from: string) => void;

interface PeerRequestsDependencies {
  id: string;
  /** The prefix of channel names. */
  prefix: string;
  channels: SignedChannels;
  /** Answers a question; undefined without an answer. */
  answerLocally: (question: BusQuestion, body: unknown) => Promise<unknown>;
  /** Called with each peer that answers. */
  onAnswerFrom: (peer: string) => void;
  onUnknownVersion: () => void;
}

interface PeerRequest<Q extends BusQuestion> {
  question: Q;
  body: BusQuestionOf<Q>;
  withinMs: number;
}

const publishMs = 2_000;

/** Questions to peers and their answers. Each instance has a channel of its own, and all share one. */
export class PeerRequests {
  readonly #id: string;
  readonly #prefix: string;
  readonly #channels: SignedChannels;
  readonly #dependencies: PeerRequestsDependencies;
  readonly #pending = new Map<number, AnswerListener>();
  #lastNumber = 0;

  constructor(dependencies: PeerRequestsDependencies) {
    this.#id = dependencies.id;
    this.#prefix = dependencies.prefix;
    this.#channels = dependencies.channels;
    this.#dependencies = dependencies;
  }

  async start(): Promise<void> {
    await this.#channels.listen(this.#channelOf(this.#id), (text) => void this.#receive(text));
    await this.#channels.listen(this.#channelOfAll, (text) => void this.#receive(text));
  }

  /** Undefined when the instance has ended or does not answer in time. */
  async ask<Q extends BusQuestion>(instanceID: string, request: PeerRequest<Q>): Promise<BusAnswer<Q> | undefined> {
    const [answer] = await this.#collect(this.#channelOf(instanceID), request, (receivers) => Math.min(receivers, 1));
    return answer;
  }

  askAll<Q extends BusQuestion>(request: PeerRequest<Q>): Promise<BusAnswer<Q>[]> {
    return this.#collect(this.#channelOfAll, request, (receivers) => receivers - 1);
  }

  /**
   * Asks all peers and calls `onAnswer` with each answer until `end`. `sent` is undefined when Redis does not accept
   * it.
   */
  openToAll(
    { question, body, withinMs }: PeerRequest<BusQuestion>,
    onAnswer: AnswerListener,
  ): { sent: Promise<number | undefined>; end: () => void } {
    return this.#open(this.#channelOfAll, { question, body, withinMs }, onAnswer);
  }

  get #channelOfAll(): string {
    return `${this.#prefix}to-all`;
  }

  #channelOf(instanceID: string): string {
    return `${this.#prefix}to:${instanceID}`;
  }

  #open(channel: string, { question, body, withinMs }: PeerRequest<BusQuestion>, onAnswer: AnswerListener) {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#pending.set(number, onAnswer);
    const envelope: RequestEnvelope = { v: envelopeVersion, from: this.#id, number, question, body };
    const sent = this.#channels.publish(channel, envelope, withinMs);
    return { sent, end: () => void this.#pending.delete(number) };
  }

  /** Ends with the last possible answer, or after the time limit. */
  async #collect<Q extends BusQuestion>(
    channel: string,
    { question, body, withinMs }: PeerRequest<Q>,
    expectedOf: (receivers: number) => number,
  ): Promise<BusAnswer<Q>[]> {
    const answers: BusAnswer<Q>[] = [];
    let expected = Number.POSITIVE_INFINITY;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { sent, end } = this.#open(channel, { question, body, withinMs: publishMs }, (answer) => {
      if (answers.push(answer as BusAnswer<Q>) >= expected) resolve();
    });
    const timer = setTimeout(resolve, withinMs);
    void sent.then((receivers = 0) => {
      expected = expectedOf(receivers);
      if (answers.length >= expected) resolve();
    });
    await promise;
    clearTimeout(timer);
    end();
    return answers;
  }

  async #receive(text: string): Promise<void> {
    const { v, from, number, question, body } = readMessage(text) as RequestEnvelope;
    if (v !== envelopeVersion) return this.#dependencies.onUnknownVersion();
    if (question === undefined) {
      this.#dependencies.onAnswerFrom(from);
      return this.#pending.get(number)?.(body, from);
    }
    if (from === this.#id) return;
    const answer = await this.#dependencies.answerLocally(question, body);
    if (answer === undefined) return;
    const envelope: RequestEnvelope = { v: envelopeVersion, from: this.#id, number, body: answer };
    await this.#channels.publish(this.#channelOf(from), envelope, publishMs);
  }
}
