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

/** The thread that sends. */
export interface SendingThread {
  /** Rejects with DeliveryTrouble when nothing came back, and with Interrupted when nobody knows. */
  send(letter: CheckedRequest): Promise<HttpResponse>;
  /** What is under way is interrupted. */
  close(): Promise<void>;
}

interface Waiting {
  resolve: (answer: HttpResponse) => void;
  reject: (error: DeliveryError | DeliveryInterrupted) => void;
}

/** Several times what all places full of the largest requests and answers need: beyond, the thread ends, not the process. */
const mostMemoryMb = 512;
/** Of them for what lives a moment only: V8 would fill 96 MB before it looks for what nobody needs. */
const youngMemoryMb = 24;
/** One that ends at once would begin as often as it can. */
const startAgainMs = 1000;

/**
 * Sends on a thread of its own, which begins with the first letter, so that sockets, TLS and what is read from them take no
 * time of this one. Which addresses a name may lead to is asked here, by `find`. Should the thread end, all that is under
 * way is interrupted, and another one begins with the next letter after a second.
 */
export function createSendingThread(
  find: ResolveAddresses,
  options: HttpClientOptions,
  { log, metrics }: { log: Pick<Logger, 'error'>; metrics: Pick<Metrics, 'count'> },
): SendingThread {
  const waiting = new Map<number, Waiting>();
  let outbox: (CheckedRequest & { id: number })[] = [];
  let thread: Worker | undefined;
  let lastID = 0;
  let lostAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  function start(): Worker {
    const worker = new Worker(new URL('sending-thread.ts', import.meta.url), {
      name: 'sending',
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb, maxYoungGenerationSizeMb: youngMemoryMb },
    });
    let cause: unknown;
    worker.on('message', (message: FromThread) => hear(worker, message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      thread = undefined;
      lose(cause);
    });
    return worker;
  }

  function hear(worker: Worker, message: FromThread): void {
    if ('question' in message) {
      const { question, hostname, port } = message;
      const answer = (found: ResolvedAddresses) => worker.postMessage({ question, found });
      find(hostname, port).then(
        (addresses) => answer({ addresses }),
        ({ fault: about, message: text }: DeliveryError) => answer({ trouble: { fault: about, message: text } }),
      );
      return;
    }
    for (const outcome of message.outcomes) {
      const one = waiting.get(outcome.id);
      waiting.delete(outcome.id);
      if ('answer' in outcome) one?.resolve(outcome.answer);
      else one?.reject(new DeliveryError(outcome.trouble.fault, outcome.trouble.message));
    }
  }

  function lose(cause: unknown): void {
    lostAt = performance.now();
    if (!isClosed) {
      metrics.count('outgoing_threads_lost');
      log.error(
        { err: tidied(cause), interrupted: waiting.size },
        'the thread that sends has ended; another one begins',
      );
    }
    interrupt();
  }

  function interrupt(): void {
    const all = [...waiting.values()];
    waiting.clear();
    outbox = [];
    for (const { reject } of all)
      reject(new DeliveryInterrupted('The sending was interrupted. It is not known what arrived.'));
  }

  function flush(): void {
    const letters = outbox;
    outbox = [];
    if (letters.length === 0) return;
    if (isClosed || (!thread && performance.now() - lostAt < startAgainMs)) return interrupt();
    try {
      thread ??= start();
      thread.postMessage({ letters } satisfies ToThread);
    } catch (error) {
      lose(error);
    }
  }

  const flushSoon = throttled(flush, messageIntervalMs);

  return {
    send: (letter) =>
      new Promise((resolve, reject) => {
        lastID += 1;
        waiting.set(lastID, { resolve, reject });
        outbox.push({ ...letter, body: copyOfView(letter.body), id: lastID });
        flushSoon();
      }),
    close: async () => {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

/** Without its message: those of libraries may quote what was sent. */
function tidied(cause: unknown): object | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { name, code, stack = '' } = cause as NodeJS.ErrnoException;
  return { name, code, at: stack.split('\n').filter((line) => /^ +at /.test(line)) };
}
