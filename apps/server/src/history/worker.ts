import { Worker } from 'node:worker_threads';
import { refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import { fairQueue } from '../fair-queue.ts';
import type { Metrics } from '../metrics.ts';
import { eventsOf } from './block.ts';
import type { HistoryPage } from './read-page.ts';
import type { StoreSettings } from './stores.ts';
import type { CallName, FromWorker, WorkerCall, WorkerCalls } from './worker-calls.ts';

interface WorkerDependencies {
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** A call failed in the worker. */
export class HistoryFailure extends Error {
  readonly isDiskFull: boolean;

  constructor({ message, isDiskFull }: { message: string; isDiskFull: boolean }) {
    super(message);
    this.isDiskFull = isDiskFull;
  }
}

interface PendingCall {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

const maxMemoryMb = 256;
const maxYoungMemoryMb = 24;
/** The least time between two starts: a thread that ends at once must not start in a loop. */
const restartDelayMs = 1000;
const mostPending = 500;
/** The calls of one caller that wait: a page of the console makes a few at a time. */
const mostWaitingOfCaller = 30;
/** The reading calls that the worker has at a time. More would only share its time among them. */
const mostReading = 2;

export type ReadingName = 'read' | 'frames' | 'fields' | 'series' | 'dependents';

interface WaitingRead {
  readonly caller: string;
  readonly begin: () => Promise<unknown>;
  readonly reject: (error: Error) => void;
}

/** The history worker as seen by the main thread. It starts with the first call, and again after it has ended. */
export class HistoryWorker {
  readonly #settings: StoreSettings;
  readonly #log: Pick<Logger, 'error'>;
  readonly #metrics: Pick<Metrics, 'count'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #pending = new Map<number, PendingCall>();
  /** Each caller gets the same share of the worker's time. */
  readonly #reads = fairQueue<WaitingRead>();
  readonly #waiting = new Map<string, number>();
  #reading = 0;
  #thread: Worker | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #lastID = 0;
  #isClosed = false;

  constructor(settings: StoreSettings, { log, metrics, clock }: WorkerDependencies) {
    this.#settings = settings;
    this.#log = log;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** Rejects with code 14 when the worker ends before it answers, or has too much to do. */
  call<Name extends CallName>(name: Name, ...[request]: Parameters<WorkerCalls[Name]>): ReturnType<WorkerCalls[Name]> {
    const isResting = !this.#thread && this.#clock.monotonicMs() - this.#startedAt < restartDelayMs;
    const isBusy = this.#isClosed || isResting || this.#pending.size >= mostPending;
    if (isBusy) return Promise.reject(refusal('HISTORY_BUSY')) as ReturnType<WorkerCalls[Name]>;
    this.#thread ??= this.#start();
    this.#lastID += 1;
    const call: WorkerCall = { id: this.#lastID, name, request };
    const answer = new Promise<never>((resolve, reject) => void this.#pending.set(call.id, { resolve, reject }));
    this.#thread.postMessage(call);
    return answer as ReturnType<WorkerCalls[Name]>;
  }

  /** The same for a call that reads. Those of one caller delay the others by one call at most. */
  read<Name extends ReadingName>(
    caller: string,
    name: Name,
    request: Parameters<WorkerCalls[Name]>[0],
  ): ReturnType<WorkerCalls[Name]> {
    const waiting = this.#waiting.get(caller) ?? 0;
    if (waiting >= mostWaitingOfCaller) return Promise.reject(refusal('HISTORY_BUSY')) as ReturnType<WorkerCalls[Name]>;
    this.#waiting.set(caller, waiting + 1);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const begin = () => {
      const answer = this.call(name, ...([request] as Parameters<WorkerCalls[Name]>));
      answer.then(resolve, reject);
      return answer;
    };
    this.#reads.add(caller, { caller, begin, reject });
    this.#beginReads();
    return promise.finally(() => {
      const now = this.#waiting.get(caller)! - 1;
      if (now > 0) this.#waiting.set(caller, now);
      else this.#waiting.delete(caller);
    }) as ReturnType<WorkerCalls[Name]>;
  }

  #beginReads(): void {
    while (this.#reading < mostReading) {
      const read = this.#reads.next();
      if (!read) return;
      this.#reading += 1;
      const from = this.#clock.monotonicMs();
      const end = () => {
        this.#reading -= 1;
        this.#reads.charge(read.caller, this.#clock.monotonicMs() - from);
        this.#beginReads();
      };
      read.begin().then(end, end);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  #start(): Worker {
    this.#startedAt = this.#clock.monotonicMs();
    const worker = new Worker(new URL('worker-thread.ts', import.meta.url), {
      name: 'history',
      workerData: this.#settings,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: maxYoungMemoryMb },
    });
    let cause: unknown;
    worker.on('message', (message: FromWorker) => this.#handleMessage(message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#thread = undefined;
      if (!this.#isClosed) {
        this.#metrics.count('history_workers_lost');
        this.#log.error({ err: cause }, 'the history worker has ended; another one starts with the next call');
      }
      for (const { reject } of this.#pending.values()) reject(refusal('HISTORY_BUSY'));
      this.#pending.clear();
    });
    return worker;
  }

  #handleMessage(message: FromWorker): void {
    if ('renamedTo' in message) {
      this.#metrics.count('history_files_damaged');
      this.#log.error(
        { file: message.renamedTo },
        'the history file was damaged and is renamed; a new one begins with what the event log has',
      );
      return;
    }
    const call = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('result' in message) call?.resolve(message.result as never);
    else if ('page' in message) {
      const events = eventsOf(message.events);
      call?.resolve({ ...message.page, events } satisfies HistoryPage as never);
    } else call?.reject(new HistoryFailure(message.failure));
  }
}
