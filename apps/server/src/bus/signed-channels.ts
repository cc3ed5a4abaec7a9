import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { RedisConnection } from '../redis/connection.ts';
import { writeMessage } from './messages.ts';

interface SignedChannelsDependencies {
  redis: Pick<RedisConnection, 'run' | 'subscriber' | 'onReady'>;
  /** A key that only instances of this installation have. */
  tokenKey: Uint8Array;
  onForged: () => void;
  onError: (error: unknown) => void;
}

type TextListener = (text: string) => void;

/**
 * How long a listener waits for Redis to confirm its subscription. Messages of its own process reach it without Redis.
 */
const subscribeMs = 500;
/** The length of a SHA-256 in base64url. */
const macLength = 43;

/**
 * Channels of Redis with signed messages: Redis may lose, read and withhold messages, but not change them. Messages
 * that are published while Redis is unavailable are lost.
 */
export class SignedChannels {
  readonly #redis: SignedChannelsDependencies['redis'];
  readonly #key: Buffer;
  readonly #listeners = new Map<string, Set<TextListener>>();
  readonly #onForged: () => void;
  readonly #onError: (error: unknown) => void;

  constructor({ redis, tokenKey, onForged, onError }: SignedChannelsDependencies) {
    this.#redis = redis;
    this.#key = Buffer.from(hkdfSync('sha256', tokenKey, '', 'hilltop bus', 32));
    this.#onForged = onForged;
    this.#onError = onError;
    redis.subscriber.on('message', (channel: string, message: string) => this.#receive(channel, message));
    redis.onReady(() => {
      if (this.#listeners.size > 0) void redis.subscriber.subscribe(...this.#listeners.keys()).catch(() => undefined);
    });
  }

  /** How many connections received the message; undefined when Redis is unavailable. */
  publish(channel: string, message: object, withinMs: number): Promise<number | undefined> {
    const text = this.#sign(channel, writeMessage(message));
    return this.#redis.run((commands) => commands.publish(channel, text), withinMs);
  }

  /** Which of the channels have a subscriber. */
  async subscribed(channels: readonly string[], withinMs: number): Promise<ReadonlySet<string>> {
    const counts = await this.#redis.run((commands) => commands.pubsub('NUMSUB', ...channels), withinMs);
    return new Set(channels.filter((_, index) => Number(counts?.[2 * index + 1]) > 0));
  }

  /** The returned function unsubscribes. */
  async listen(channel: string, listener: TextListener): Promise<() => void> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    const subscribed = this.#redis.subscriber.subscribe(channel).catch(() => undefined);
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, subscribeMs);
    await Promise.race([subscribed, timedOut]);
    clearTimeout(timer);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return;
      this.#listeners.delete(channel);
      this.#redis.subscriber.unsubscribe(channel).catch(() => undefined);
    };
  }

  #receive(channel: string, message: string): void {
    const listeners = this.#listeners.get(channel);
    if (!listeners) return;
    const text = this.#verify(channel, message);
    if (text === undefined) return this.#onForged();
    for (const listener of listeners) {
      try {
        listener(text);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  #sign(channel: string, text: string): string {
    const mac = createHmac('sha256', this.#key).update(`${channel}\n${text}`).digest('base64url');
    return `${mac}${text}`;
  }

  /** The text of a message; undefined when its signature is wrong. */
  #verify(channel: string, message: string): string | undefined {
    const text = message.slice(macLength);
    const [received, expected] = [Buffer.from(message), Buffer.from(this.#sign(channel, text))];
    return received.length === expected.length && timingSafeEqual(received, expected) ? text : undefined;
  }
}
