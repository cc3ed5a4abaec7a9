import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { lowerThreadPriority } from '../thread-priority.ts';
import { openSandbox, ScriptFault } from './sandbox.ts';
import type { SandboxAnswer, SandboxLimits, ToSandbox } from './sandbox-messages.ts';

/** The thread that runs user scripts. `running` shows the watchdog which call runs, and since when. */
const { running, deadlineMs, isBackground, ...limits } = workerData as SandboxLimits & { running: Int32Array };
if (isBackground) lowerThreadPriority();
// Without a handle that keeps the event loop alive, Node blocks this thread until V8's helper threads have compiled the module.
// These threads may wait for a garbage collection by this thread.
parentPort!.ref();
const quickjs = await newQuickJSWASMModuleFromVariant(variant as never);
let endsAtMs = Infinity;
const sandbox = openSandbox(quickjs, { deadlineMs, ...limits }, () => usedMs() > endsAtMs);

parentPort!.postMessage([] satisfies SandboxAnswer[]);

/** Answers within this time are posted together. */
const answerIntervalMs = 1;

/** The processor time of this thread, so that other processes of a busy machine do not count for a script. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

let isBroken = false;

type Outcome = SandboxAnswer extends infer Answer
  ? Answer extends unknown
    ? Omit<Answer, 'id' | 'ms'>
    : never
  : never;

function outcomeOf(call: Omit<ToSandbox[number], 'id' | 'isQuick'>): Outcome {
  const outcome = resultOf(call);
  // Reading the lines of a script that was stopped takes time, too.
  endsAtMs = usedMs() + deadlineMs;
  return call.isTrial && !isBroken ? { ...outcome, console: sandbox.consoleLines() } : outcome;
}

function resultOf(call: Omit<ToSandbox[number], 'id' | 'isQuick'>): Outcome {
  try {
    return { result: call.isCheck ? { func: sandbox.check(call), json: 'null' } : sandbox.call(call) };
  } catch (error) {
    if (!(error instanceof ScriptFault)) isBroken = true;
    const { message, position } = error as ScriptFault;
    return { error: message, ...(position && { position }) };
  }
}

let answers: SandboxAnswer[] = [];

function postAnswers(): void {
  if (answers.length > 0) parentPort!.postMessage(answers);
  answers = [];
}

parentPort!.on('message', (requests: ToSandbox) => {
  let [startedMs, postedAt] = [usedMs(), performance.now()];
  for (const { id, isQuick, ...call } of requests) {
    // The answers before a call of long or unknown duration do not wait for it.
    if (!isQuick) postAnswers();
    Atomics.store(running, 1, Number(process.hrtime.bigint() / 1_000_000n) & 0x7fffffff);
    Atomics.store(running, 0, id);
    endsAtMs = startedMs + deadlineMs;
    const outcome = outcomeOf(call);
    Atomics.store(running, 0, 0);
    const endedMs = usedMs();
    answers.push({ id, ms: isBroken ? deadlineMs : endedMs - startedMs, ...outcome } as SandboxAnswer);
    if (isBroken) break;
    startedMs = endedMs;
    if (performance.now() - postedAt < answerIntervalMs) continue;
    postAnswers();
    postedAt = performance.now();
  }
  postAnswers();
  // The next thread runs the remaining calls.
  if (isBroken) process.exit();
});
