import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { openSandbox, ScriptFault, type ScriptRun } from './sandbox.ts';
import type { SandboxAnswer, SandboxLimits, ToSandbox } from './sandbox-thread.ts';

/** The thread user scripts run in. `running` tells the watchdog which call has been at it since when. */
const { running, deadlineMs, ...limits } = workerData as SandboxLimits & { running: Int32Array };
const quickjs = await newQuickJSWASMModuleFromVariant(variant as never);
let endsAtMs = Infinity;
const stage = openSandbox(quickjs, { deadlineMs, ...limits }, () => usedMs() > endsAtMs);

/** Answers that wait for others longer than this are told by themselves. */
const togetherMs = 1;

/** Processor time of this thread: on a busy machine a script does not pay for its neighbours. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

let isBroken = false;

function outcomeOf(call: ScriptRun): { result: string } | { error: string } {
  try {
    return { result: stage.call(call) };
  } catch (error) {
    if (!(error instanceof ScriptFault)) isBroken = true;
    return { error: (error as Error).message };
  }
}

let answers: SandboxAnswer[] = [];

function tell(): void {
  if (answers.length > 0) parentPort!.postMessage(answers);
  answers = [];
}

parentPort!.on('message', (requests: ToSandbox) => {
  let [startedMs, toldMs] = [usedMs(), performance.now()];
  for (const { id, isQuick, ...call } of requests) {
    // Nobody waits for a call that takes longer, or that nobody knows.
    if (!isQuick) tell();
    Atomics.store(running, 1, Number(process.hrtime.bigint() / 1_000_000n) & 0x7fffffff);
    Atomics.store(running, 0, id);
    endsAtMs = startedMs + deadlineMs;
    const outcome = outcomeOf(call);
    Atomics.store(running, 0, 0);
    const endedMs = usedMs();
    answers.push({ id, ms: isBroken ? deadlineMs : endedMs - startedMs, ...outcome });
    if (isBroken) break;
    startedMs = endedMs;
    if (performance.now() - toldMs < togetherMs) continue;
    tell();
    toldMs = performance.now();
  }
  tell();
  // Another thread goes on with the others.
  if (isBroken) process.exit();
});
