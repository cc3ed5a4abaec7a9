import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  Scope,
} from 'quickjs-emscripten-core';
import type { SandboxAnswer, SandboxCall, SandboxLimits } from './sandbox-lane.ts';

/**
 * The thread user scripts run in. Every call gets a QuickJS runtime of its own, so nothing a script leaves behind is
 * seen by the next device (about 0.15 ms each). `running` tells the watchdog which call has been at it since when.
 */
const { running, deadlineMs, memoryBytes, resultBytes } = workerData as SandboxLimits & { running: Int32Array };
const quickjs = await newQuickJSWASMModuleFromVariant(variant as never);

/** Captured before the user's script can replace JSON; arguments are globals too, as the old server had them. */
const boot = `(function () {
  var stringify = JSON.stringify, parse = JSON.parse, world = globalThis;
  return function (name, fPort, input, variables) {
    var second = name === 'Decode' ? 'bytes' : 'obj';
    world.fPort = fPort; world[second] = parse(input); world.variables = parse(variables);
    return function (run) { return stringify(run(fPort, world[second], world.variables)); };
  };
})()`;

function call({ name, script, fPort, input, variables }: SandboxCall): string {
  return Scope.withScope((scope) => {
    const runtime = scope.manage(quickjs.newRuntime());
    runtime.setMemoryLimit(memoryBytes);
    runtime.setMaxStackSize(256 << 10);
    const context = scope.manage(runtime.newContext());
    const result = (outcome: ReturnType<QuickJSContext['evalCode']>) => scope.manage(valueOf(context, outcome));
    const text = (value: string) => scope.manage(context.newString(value));
    const prepare = result(context.evalCode(boot));
    const args = [text(name), scope.manage(context.newNumber(fPort)), text(input), text(variables)];
    const answer = result(context.callFunction(prepare, context.undefined, ...args));
    const end = usedMs() + deadlineMs;
    runtime.setInterruptHandler(() => usedMs() > end);
    result(context.evalCode(script, `${name.toLowerCase()}r.js`));
    const run = result(context.evalCode(`typeof ${name} === 'function' ? ${name} : undefined`));
    if (context.typeof(run) !== 'function') throw new Error(`The script has no function ${name}.`);
    return textOf(context, result(context.callFunction(answer, context.undefined, run)));
  });
}

function textOf(context: QuickJSContext, value: QuickJSHandle): string {
  if (context.typeof(value) !== 'string') return 'null';
  const length = context.getProp(value, 'length').consume((handle) => context.getNumber(handle));
  const text = length <= resultBytes ? context.getString(value) : '';
  if (length > resultBytes || Buffer.byteLength(text) > resultBytes) {
    throw new Error(`The result is larger than ${resultBytes >> 10} KB.`);
  }
  return text;
}

function valueOf(context: QuickJSContext, outcome: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
  if (!outcome.error) return outcome.value;
  const thrown: unknown = outcome.error.consume((error) => context.dump(error));
  throw new Error(sentence(thrown).slice(0, 1000));
}

function sentence(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { name, message, stack } = thrown as { name?: string; message?: string; stack?: string };
  if (name === undefined && message === undefined) return JSON.stringify(thrown);
  if (message === 'interrupted') return `The script ran longer than ${deadlineMs} ms and was stopped.`;
  const line = /(?:decoder|encoder)\.js:(\d+)/.exec(stack ?? '')?.[1];
  return `${name ?? 'Error'}: ${message ?? ''}${line ? ` (line ${line})` : ''}`;
}

/** Processor time of this thread: on a busy machine a script does not pay for its neighbours. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const answer = (message: SandboxAnswer) => parentPort!.postMessage(message);

parentPort!.on('message', (request: SandboxCall & { id: number }) => {
  const before = usedMs();
  Atomics.store(running, 1, Number(process.hrtime.bigint() / 1_000_000n) & 0x7fffffff);
  Atomics.store(running, 0, request.id);
  try {
    const result = call(request);
    answer({ id: request.id, result, ms: usedMs() - before });
  } catch (error) {
    answer({ id: request.id, error: (error as Error).message, ms: usedMs() - before });
  } finally {
    Atomics.store(running, 0, 0);
  }
});
