import { Worker } from 'node:worker_threads';
import { throttled } from '../throttled.ts';
import { CodecError } from './codec-error.ts';
import { fairQueue } from './fair-queue.ts';

export type SandboxCall = {
  /** The application whose time it takes. */
  owner: string;
  name: 'Decode' | 'Encode';
  script: string;
  fPort: number;
  input: string;
  variables: string;
};
/** `isQuick`: so short that the answers before it may wait for it. */
export type ToSandbox = (Omit<SandboxCall, 'owner'> & { id: number; isQuick: boolean })[];
export type SandboxAnswer = { id: number; ms: number; result?: string; error?: string };
export type SandboxLimits = { deadlineMs: number; killAfterMs: number; memoryBytes: number; resultBytes: number };

/** The outcome of a call, and how long the script ran. */
export type SandboxOutcome = { result: string; ms: number } | { error: CodecError; ms: number };

type QueuedCall = { id: number; call: SandboxCall; expectedMs: number; finish: (outcome: SandboxOutcome) => void };

/** The thread gets this many calls in advance, as long as they are short together, so that it does not idle. */
const maxAhead = 128;
const maxAheadMs = 5;
/** Calls that are expected to take less are quick. Less than the estimate for a script that has not run yet. */
const quickMs = 0.4;
/** A message costs both threads as much as a call: calls within this time are sent together. */
const messageIntervalMs = 2;
const stoppingMessage = 'The server is stopping.';

/**
 * One worker thread with a queue that gives every application the same share. QuickJS cannot interrupt long native calls: a
 * call that exceeds `killAfterMs` ends with its thread, and the next thread runs the other calls.
 */
export function startSandboxThread(limits: SandboxLimits) {
  const running = new Int32Array(new SharedArrayBuffer(8));
  const assigned = new Map<number, QueuedCall>();
  const queue = fairQueue<QueuedCall>();
  let outbox: ToSandbox = [];
  let worker: Worker | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let assignedMs = 0;
  let lastID = 0;
  let unexplainedEnds = 0;
  let stopped = false;
  const postSoon = throttled(post, messageIntervalMs);

  function start(): Worker {
    running.fill(0);
    const started = new Worker(new URL('./javascript-worker.ts', import.meta.url), {
      workerData: { running, ...limits },
      resourceLimits: { maxOldGenerationSizeMb: 64 },
      stderr: false,
    });
    started.on('message', (answers: SandboxAnswer[]) => {
      answers.forEach(settle);
      assign();
    });
    started.on('error', () => handleEnd(started));
    started.on('exit', () => handleEnd(started));
    watchdog = setInterval(watch, Math.max(10, limits.deadlineMs / 2));
    return started;
  }

  function settle({ id, ms, result, error }: SandboxAnswer) {
    const waiting = assigned.get(id);
    if (waiting) unassign(waiting, ms);
    unexplainedEnds = 0;
    waiting?.finish(result === undefined ? { error: new CodecError(error!), ms } : { result, ms });
  }

  /** Charges the owner for the actual time instead of the estimate. */
  function unassign({ id, call, expectedMs }: QueuedCall, ms: number) {
    assigned.delete(id);
    assignedMs -= expectedMs;
    queue.charge(call.owner, ms - expectedMs);
  }

  function watch() {
    const id = Atomics.load(running, 0);
    const now = Number(process.hrtime.bigint() / 1_000_000n) & 0x7fffffff;
    if (assigned.has(id) && now - Atomics.load(running, 1) > limits.killAfterMs) void worker?.terminate();
  }

  function handleEnd(ended: Worker) {
    if (ended !== worker) return;
    worker = undefined;
    outbox = [];
    clearInterval(watchdog);
    const culprit = assigned.get(Atomics.load(running, 0));
    const error = new CodecError(`The script ran longer than ${limits.deadlineMs} ms and was stopped.`);
    for (const waiting of [...assigned.values()].reverse()) {
      unassign(waiting, waiting === culprit ? limits.killAfterMs : 0);
      if (waiting !== culprit) queue.putBack(waiting.call.owner, waiting);
    }
    culprit?.finish({ error, ms: limits.killAfterMs });
    unexplainedEnds = culprit ? 0 : unexplainedEnds + 1;
    if (unexplainedEnds < 3) assign();
    else failAll('The script engine cannot be started: see the log of the server.');
  }

  function assign() {
    while (!stopped && assigned.size < maxAhead) {
      const expectedMs = queue.peek()?.expectedMs ?? 0;
      if (assigned.size > 0 && assignedMs + expectedMs > maxAheadMs) return;
      const waiting = queue.next();
      if (!waiting) return;
      assignedMs += expectedMs;
      queue.charge(waiting.call.owner, expectedMs);
      assigned.set(waiting.id, waiting);
      worker ??= start();
      const { owner: _, ...call } = waiting.call;
      outbox.push({ id: waiting.id, isQuick: expectedMs < quickMs, ...call });
      postSoon();
    }
  }

  function post() {
    if (outbox.length > 0) worker?.postMessage(outbox);
    outbox = [];
  }

  return {
    run: (call: SandboxCall, expectedMs: number): Promise<SandboxOutcome> =>
      new Promise((finish) => {
        lastID = (lastID % 0x7fffffff) + 1;
        queue.add(call.owner, { id: lastID, call, expectedMs, finish });
        if (stopped) failAll(stoppingMessage);
        else assign();
      }),
    stop: async () => {
      stopped = true;
      clearInterval(watchdog);
      const ending = worker;
      worker = undefined;
      failAll(stoppingMessage);
      await ending?.terminate();
    },
  };

  function failAll(reason: string) {
    const calls = [...assigned.values(), ...queue.drain()];
    assigned.clear();
    assignedMs = 0;
    for (const { finish } of calls) finish({ error: new CodecError(reason), ms: 0 });
  }
}
