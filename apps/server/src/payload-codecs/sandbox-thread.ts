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
/** `isQuick`: known to take so little that those before it may be told of later. */
export type ToSandbox = (Omit<SandboxCall, 'owner'> & { id: number; isQuick: boolean })[];
export type SandboxAnswer = { id: number; ms: number; result?: string; error?: string };
export type SandboxLimits = { deadlineMs: number; killAfterMs: number; memoryBytes: number; resultBytes: number };

/** What became of a call, and how long the script was at it. */
export type SandboxOutcome = { result: string; ms: number } | { error: CodecError; ms: number };

type Waiting = { id: number; call: SandboxCall; expectedMs: number; finish: (outcome: SandboxOutcome) => void };

/** So many calls are handed to the thread ahead of their turn, to keep it busy, as long as they are short together. */
const ahead = 128;
const aheadMs = 5;
/** Of a call that is expected to take less, which one that never ran is not. */
const quickMs = 0.4;
/** A message wakes the thread, which costs either side as much as a call: what comes in quick succession goes together. */
const messagesApartMs = 2;
const stopping = 'The server is stopping.';

/**
 * One worker thread and the queue before it, in which every application has the same share. A call that does not come back is killed with its thread, since QuickJS
 * cannot interrupt long native calls; the others in the queue are given to the next thread.
 */
export function startSandboxThread(limits: SandboxLimits) {
  const running = new Int32Array(new SharedArrayBuffer(8));
  const handed = new Map<number, Waiting>();
  const queue = fairQueue<Waiting>();
  let outbox: ToSandbox = [];
  let worker: Worker | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let handedMs = 0;
  let lastID = 0;
  let lostForNothing = 0;
  let stopped = false;
  const sendSoon = throttled(send, messagesApartMs);

  function start(): Worker {
    running.fill(0);
    const started = new Worker(new URL('./javascript-worker.ts', import.meta.url), {
      workerData: { running, ...limits },
      resourceLimits: { maxOldGenerationSizeMb: 64 },
      stderr: false,
    });
    started.on('message', (answers: SandboxAnswer[]) => {
      answers.forEach(settle);
      hand();
    });
    started.on('error', () => lose(started));
    started.on('exit', () => lose(started));
    watchdog = setInterval(watch, Math.max(10, limits.deadlineMs / 2));
    return started;
  }

  function settle({ id, ms, result, error }: SandboxAnswer) {
    const waiting = handed.get(id);
    if (waiting) takeBack(waiting, ms);
    lostForNothing = 0;
    waiting?.finish(result === undefined ? { error: new CodecError(error!), ms } : { result, ms });
  }

  /** Its owner pays for the time it took, instead of the time that was expected. */
  function takeBack({ id, call, expectedMs }: Waiting, ms: number) {
    handed.delete(id);
    handedMs -= expectedMs;
    queue.charge(call.owner, ms - expectedMs);
  }

  function watch() {
    const id = Atomics.load(running, 0);
    const now = Number(process.hrtime.bigint() / 1_000_000n) & 0x7fffffff;
    if (handed.has(id) && now - Atomics.load(running, 1) > limits.killAfterMs) void worker?.terminate();
  }

  function lose(lost: Worker) {
    if (lost !== worker) return;
    worker = undefined;
    outbox = [];
    clearInterval(watchdog);
    const guilty = handed.get(Atomics.load(running, 0));
    const error = new CodecError(`The script ran longer than ${limits.deadlineMs} ms and was stopped.`);
    for (const waiting of [...handed.values()].reverse()) {
      takeBack(waiting, waiting === guilty ? limits.killAfterMs : 0);
      if (waiting !== guilty) queue.giveBack(waiting.call.owner, waiting);
    }
    guilty?.finish({ error, ms: limits.killAfterMs });
    lostForNothing = guilty ? 0 : lostForNothing + 1;
    if (lostForNothing < 3) hand();
    else abandon('The script engine cannot be started: see the log of the server.');
  }

  function hand() {
    while (!stopped && handed.size < ahead) {
      const expectedMs = queue.peek()?.expectedMs ?? 0;
      if (handed.size > 0 && handedMs + expectedMs > aheadMs) return;
      const waiting = queue.next();
      if (!waiting) return;
      handedMs += expectedMs;
      queue.charge(waiting.call.owner, expectedMs);
      handed.set(waiting.id, waiting);
      worker ??= start();
      const { owner: _, ...call } = waiting.call;
      outbox.push({ id: waiting.id, isQuick: expectedMs < quickMs, ...call });
      sendSoon();
    }
  }

  function send() {
    if (outbox.length > 0) worker?.postMessage(outbox);
    outbox = [];
  }

  return {
    run: (call: SandboxCall, expectedMs: number): Promise<SandboxOutcome> =>
      new Promise((finish) => {
        lastID = (lastID % 0x7fffffff) + 1;
        queue.add(call.owner, { id: lastID, call, expectedMs, finish });
        if (stopped) abandon(stopping);
        else hand();
      }),
    stop: async () => {
      stopped = true;
      clearInterval(watchdog);
      const last = worker;
      worker = undefined;
      abandon(stopping);
      await last?.terminate();
    },
  };

  function abandon(reason: string) {
    const all = [...handed.values(), ...queue.drain()];
    handed.clear();
    handedMs = 0;
    for (const { finish } of all) finish({ error: new CodecError(reason), ms: 0 });
  }
}
