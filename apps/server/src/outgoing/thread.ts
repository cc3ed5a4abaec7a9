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

/**
 * Sends on a thread of its own, so that sockets, TLS and parsing take no time of the main thread. It starts with the first
 * request. `resolveAddresses` checks on the main thread which addresses a name may lead to. When the thread ends, all
 * requests under way are interrupted, and another thread starts with the first request after a second.
 */
export function createSendingThread(
  resolveAddresses: ResolveAddresses,
  options: HttpClientOptions,
  { log, metrics }: { log: Pick<Logger, 'error'>; metrics: Pick<Metrics, 'count'> },
): SendingThread {
  const pending = new Map<number, PendingRequest>();
  let outbox: (CheckedRequest & { id: number })[] = [];
  let thread: Worker | undefined;
  let lastID = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  function start(): Worker {
    const worker = new Worker(new URL('sending-thread.ts', import.meta.url), {
      name: 'sending',
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: maxYoungMemoryMb },
    });
    let cause: unknown;
    worker.on('message', (message: FromThread) => handleMessage(worker, message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      thread = undefined;
      handleEnd(cause);
    });
    return worker;
  }

  function handleMessage(worker: Worker, message: FromThread): void {
    if ('lookup' in message) {
      const { lookup, hostname, port } = message;
      const answer = (result: ResolvedAddresses) => worker.postMessage({ lookup, result } satisfies ToThread);
      resolveAddresses(hostname, port).then(
        (addresses) => answer({ addresses }),
        ({ fault, message: text }: DeliveryError) => answer({ error: { fault, message: text } }),
      );
      return;
    }
    for (const outcome of message.outcomes) {
      const request = pending.get(outcome.id);
      pending.delete(outcome.id);
      if ('response' in outcome) request?.resolve(outcome.response);
      else request?.reject(new DeliveryError(outcome.error.fault, outcome.error.message));
    }
  }

  function handleEnd(cause: unknown): void {
    endedAt = performance.now();
    if (!isClosed) {
      metrics.count('outgoing_threads_lost');
      log.error(
        { err: withoutMessage(cause), interrupted: pending.size },
        'the sending thread has ended; another one starts with the next request',
      );
    }
    interruptAll();
  }

  function interruptAll(): void {
    const interrupted = [...pending.values()];
    pending.clear();
    outbox = [];
    for (const { reject } of interrupted)
      reject(new DeliveryInterrupted('The sending was interrupted. It is not known whether the request arrived.'));
  }

  function flush(): void {
    const requests = outbox;
    outbox = [];
    if (requests.length === 0) return;
    if (isClosed || (!thread && performance.now() - endedAt < restartDelayMs)) return interruptAll();
    try {
      thread ??= start();
      thread.postMessage({ requests } satisfies ToThread);
    } catch (error) {
      handleEnd(error);
    }
  }

  const flushSoon = throttled(flush, messageIntervalMs);

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        lastID += 1;
        pending.set(lastID, { resolve, reject });
        outbox.push({ ...request, body: copyOfView(request.body), id: lastID });
        flushSoon();
      }),
    close: async () => {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

/** Messages of libraries may quote the request. */
function withoutMessage(cause: unknown): object | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { name, code, stack = '' } = cause as NodeJS.ErrnoException;
  return { name, code, at: stack.split('\n').filter((line) => /^ +at /.test(line)) };
}
