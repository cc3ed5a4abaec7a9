import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { throttled } from '../throttled.ts';
import { DeliveryError, DeliveryInterrupted } from './delivery-error.ts';
import type { HttpClientOptions, ResolveAddresses } from './http-client.ts';
import type { HttpResponse } from './outgoing-request.ts';
import {
  type CheckedRequest,
  copyOfView,
  type FromThread,
  messageIntervalMs,
  type ResolvedAddresses,
  type ToThread,
} from './thread-messages.ts';

export interface SendingThread {
  /**
   * Rejects with DeliveryError without a response, and with DeliveryInterrupted when it is unknown whether the request
   * arrived.
   */
  send(request: CheckedRequest): Promise<HttpResponse>;
  /** Interrupts the requests under way. */
  close(): Promise<void>;
}

interface PendingRequest {
  resolve: (response: HttpResponse) => void;
  reject: (error: DeliveryError | DeliveryInterrupted) => void;
}

/**
 * Several times what the largest requests and responses of all permits need. When it is exceeded, the thread ends and
 * not the process.
 */
const maxMemoryMb = 512;
/** Part of it for short-lived objects: V8 would let 96 MB of them grow before it collects garbage. */
const maxYoungMemoryMb = 24;
/** A thread that ends at once must not start in a loop. */
const restartDelayMs = 1000;

interface SendingThreadDependencies {
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
}

/**
 * Sends on a thread of its own, so that sockets, TLS and parsing take no time of the main thread. It starts with the first
 * request. `resolveAddresses` checks on the main thread which addresses a name may lead to. When the thread ends, all
 * requests under way are interrupted, and another thread starts with the first request after a second.
 */
export function createSendingThread(
  resolveAddresses: ResolveAddresses,
  options: HttpClientOptions,
  needs: SendingThreadDependencies,
): SendingThread {
  return new RestartingThread(resolveAddresses, options, needs);
}

class RestartingThread implements SendingThread {
  readonly #resolveAddresses: ResolveAddresses;
  readonly #options: HttpClientOptions;
  readonly #log: Pick<Logger, 'error'>;
  readonly #metrics: Pick<Metrics, 'count'>;
  readonly #pending = new Map<number, PendingRequest>();
  #outbox: (CheckedRequest & { id: number })[] = [];
  #thread: Worker | undefined;
  #lastID = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  readonly #flushSoon = throttled(() => this.#flush(), messageIntervalMs);

  constructor(
    resolveAddresses: ResolveAddresses,
    options: HttpClientOptions,
    { log, metrics }: SendingThreadDependencies,
  ) {
    this.#resolveAddresses = resolveAddresses;
    this.#options = options;
    this.#log = log;
    this.#metrics = metrics;
  }

  send(request: CheckedRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      this.#lastID += 1;
      this.#pending.set(this.#lastID, { resolve, reject });
      this.#outbox.push({ ...request, body: copyOfView(request.body), id: this.#lastID });
      this.#flushSoon();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('sending-thread.ts', import.meta.url), {
      name: 'sending',
      workerData: this.#options,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: maxYoungMemoryMb },
    });
    let cause: unknown;
    worker.on('message', (message: FromThread) => this.#handleMessage(worker, message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#thread = undefined;
      this.#handleEnd(cause);
    });
    return worker;
  }

  #handleMessage(worker: Worker, message: FromThread): void {
    if ('lookup' in message) {
      const { lookup, hostname, port } = message;
      const answer = (result: ResolvedAddresses) => worker.postMessage({ lookup, result } satisfies ToThread);
      this.#resolveAddresses(hostname, port).then(
        (addresses) => answer({ addresses }),
        ({ fault, message: text }: DeliveryError) => answer({ error: { fault, message: text } }),
      );
      return;
    }
    for (const outcome of message.outcomes) {
      const request = this.#pending.get(outcome.id);
      this.#pending.delete(outcome.id);
      if ('response' in outcome) request?.resolve(outcome.response);
      else request?.reject(new DeliveryError(outcome.error.fault, outcome.error.message));
    }
  }

  #handleEnd(cause: unknown): void {
    this.#endedAt = performance.now();
    if (!this.#isClosed) {
      this.#metrics.count('outgoing_threads_lost');
      this.#log.error(
        { err: withoutMessage(cause), interrupted: this.#pending.size },
        'the sending thread has ended; another one starts with the next request',
      );
    }
    this.#interruptAll();
  }

  #interruptAll(): void {
    const interrupted = [...this.#pending.values()];
    this.#pending.clear();
    this.#outbox = [];
    for (const { reject } of interrupted)
      reject(new DeliveryInterrupted('The sending was interrupted. It is not known whether the request arrived.'));
  }

  #flush(): void {
    const requests = this.#outbox;
    this.#outbox = [];
    if (requests.length === 0) return;
    if (this.#isClosed || (!this.#thread && performance.now() - this.#endedAt < restartDelayMs))
      return this.#interruptAll();
    try {
      this.#thread ??= this.#start();
      this.#thread.postMessage({ requests } satisfies ToThread);
    } catch (error) {
      this.#handleEnd(error);
    }
  }
}

/** Messages of libraries may quote the request. */
function withoutMessage(cause: unknown): object | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { name, code, stack = '' } = cause as NodeJS.ErrnoException;
  return { name, code, at: stack.split('\n').filter((line) => /^ +at /.test(line)) };
}
