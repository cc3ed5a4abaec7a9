import { Worker } from 'node:worker_threads';
import { fairQueue } from '../fair-queue.ts';
import { throttled } from '../throttled.ts';
import { CodecError } from './codec-error.ts';
import {
  type SandboxAnswer,
  type SandboxCall,
  type SandboxLimits,
  type ScriptResult,
  type ToSandbox,
  timeExceeded,
} from './sandbox-messages.ts';

/** The outcome of a call, how long the script ran, and the lines of its console in a trial. */
export type SandboxOutcome = { ms: number; console?: string[] } & ({ result: ScriptResult } | { error: CodecError });

type QueuedCall = { id: number; call: SandboxCall; expectedMs: number; finish: (outcome: SandboxOutcome) => void };

/** The thread gets this many calls in advance, as long as they are short together, so that it does not idle. */
const maxAhead = 128;
const maxAheadMs = 5;
/** Calls that are expected to take less are quick. Less than the estimate for a script that has not run yet. */
const quickMs = 0.4;
/** A message costs both threads as much as a call: calls within this time are sent together. */
const messageIntervalMs = 2;
const stoppingMessage = 'The server is stopping.';

const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n) & 0x7fffffff;

/**
 * One worker thread with a queue that gives every application the same share. QuickJS cannot interrupt long native calls: a
 * call that exceeds `killAfterMs` ends with its thread, and the next thread runs the other calls.
 */
export class SandboxThread {
  readonly #limits: SandboxLimits;
  readonly #onLost: (reason: string) => void;
  /** Shared with the worker: the id of the running call, and when it started (ms). */
  #running = new Int32Array(new SharedArrayBuffer(8));
  /** Calls that the worker has got and not answered. */
  readonly #assigned = new Map<number, QueuedCall>();
  readonly #queue = fairQueue<QueuedCall>();
  readonly #postSoon = throttled(() => this.#post(), messageIntervalMs);
  #outbox: ToSandbox = [];
  #worker: Worker | undefined;
  /** When the worker was started, until it is ready. */
  #startingSinceMs: number | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  /** The expected duration of the assigned calls. */
  #assignedMs = 0;
  #lastID = 0;
  /** How often in a row the worker ended without a running call. */
  #unexplainedEnds = 0;
  #isStopped = false;

  constructor(limits: SandboxLimits, onLost: (reason: string) => void = () => {}) {
    this.#limits = limits;
    this.#onLost = onLost;
  }

  run(call: SandboxCall, expectedMs: number): Promise<SandboxOutcome> {
    return new Promise((finish) => {
      this.#lastID = (this.#lastID % 0x7fffffff) + 1;
      this.#queue.add(call.owner, { id: this.#lastID, call, expectedMs, finish });
      if (this.#isStopped) this.#failAll(stoppingMessage);
      else this.#assign();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#watchdog);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(stoppingMessage);
    await worker?.terminate();
  }

  #start(): Worker {
    // A worker that is being ended may still write to its own.
    this.#running = new Int32Array(new SharedArrayBuffer(8));
    this.#startingSinceMs = monotonicMs();
    const worker = new Worker(new URL('./javascript-worker.ts', import.meta.url), {
      workerData: { running: this.#running, ...this.#limits },
      resourceLimits: { maxOldGenerationSizeMb: 64 },
      stderr: false,
    });
    worker.on('message', (answers: SandboxAnswer[]) => {
      if (worker !== this.#worker) return;
      this.#startingSinceMs = undefined;
      for (const answer of answers) this.#settle(answer);
      this.#assign();
    });
    worker.on('error', (error) => this.#handleEnd(worker, (error as Error).message));
    worker.on('exit', () => this.#handleEnd(worker, 'The thread ended.'));
    this.#watchdog = setInterval(() => this.#killIfStuck(), Math.max(10, this.#limits.deadlineMs / 2));
    return worker;
  }

  #settle({ id, ...answer }: SandboxAnswer): void {
    const { ms } = answer;
    const answered = this.#assigned.get(id);
    if (answered) this.#unassign(answered, ms);
    this.#unexplainedEnds = 0;
    answered?.finish('error' in answer ? { ...answer, error: new CodecError(answer.error, answer.position) } : answer);
  }

  /** Charges the owner for the actual time instead of the estimate. */
  #unassign({ id, call, expectedMs }: QueuedCall, ms: number): void {
    this.#assigned.delete(id);
    this.#assignedMs -= expectedMs;
    this.#queue.charge(call.owner, ms - expectedMs);
  }

  #killIfStuck(): void {
    const worker = this.#worker;
    if (!worker) return;
    const { killAfterMs, startWithinMs } = this.#limits;
    const now = monotonicMs();
    const runsTooLong =
      this.#assigned.has(Atomics.load(this.#running, 0)) && now - Atomics.load(this.#running, 1) > killAfterMs;
    const startsTooLong = this.#startingSinceMs !== undefined && now - this.#startingSinceMs > startWithinMs;
    if (!runsTooLong && !startsTooLong) return;
    void worker.terminate();
    // Does not wait for the end of the thread.
    this.#handleEnd(worker, `The thread did not start within ${startWithinMs} ms.`);
  }

  /** Fails the call that was running, and gives the others to the next worker. */
  #handleEnd(ended: Worker, reason: string): void {
    if (ended !== this.#worker) return;
    const { deadlineMs, killAfterMs } = this.#limits;
    this.#worker = undefined;
    this.#outbox = [];
    clearInterval(this.#watchdog);
    const culprit = this.#assigned.get(Atomics.load(this.#running, 0));
    for (const queued of [...this.#assigned.values()].reverse()) {
      this.#unassign(queued, queued === culprit ? killAfterMs : 0);
      if (queued !== culprit) this.#queue.putBack(queued.call.owner, queued);
    }
    const error = new CodecError(timeExceeded(deadlineMs));
    culprit?.finish({ error, ms: killAfterMs });
    this.#unexplainedEnds = culprit ? 0 : this.#unexplainedEnds + 1;
    if (!culprit) this.#onLost(reason);
    if (this.#unexplainedEnds < 3) this.#assign();
    else this.#failAll('The script engine cannot be started: see the log of the server.');
  }

  #assign(): void {
    while (!this.#isStopped && this.#assigned.size < maxAhead) {
      const expectedMs = this.#queue.peek()?.expectedMs ?? 0;
      if (this.#assigned.size > 0 && this.#assignedMs + expectedMs > maxAheadMs) return;
      const next = this.#queue.next();
      if (!next) return;
      this.#assignedMs += expectedMs;
      this.#queue.charge(next.call.owner, expectedMs);
      this.#assigned.set(next.id, next);
      this.#worker ??= this.#start();
      const { owner: _, ...call } = next.call;
      this.#outbox.push({ id: next.id, isQuick: expectedMs < quickMs, ...call });
      this.#postSoon();
    }
  }

  #post(): void {
    if (this.#outbox.length > 0) this.#worker?.postMessage(this.#outbox);
    this.#outbox = [];
  }

  #failAll(reason: string): void {
    const calls = [...this.#assigned.values(), ...this.#queue.drain()];
    this.#assigned.clear();
    this.#assignedMs = 0;
    for (const { finish } of calls) finish({ error: new CodecError(reason), ms: 0 });
  }
}
