import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { setLatest } from '../latest-n.ts';
import { type MemoryChange, takeImage } from './memory-image.ts';
import type { SandboxCall, SandboxLimits } from './sandbox-thread.ts';

/** Where scripts play: each call of one finds the same stage, and nothing that an earlier call has left behind. */
export interface Sandbox {
  /** The function's result as JSON text. Throws ScriptFault; after anything else the stage is of no use any more. */
  call(call: ScriptRun): string;
}

export type ScriptRun = Omit<SandboxCall, 'owner'>;

/** With a sentence for the user. */
export class ScriptFault extends Error {}

/**
 * Captured before a script can replace it; arguments are globals too, as the old server had them. QuickJS would draw the
 * same random numbers in each call, so these come from a seed of the call (sfc32).
 *
 * `watch` finds out whether what a script does before its function is called is the same for every call: then it asks for
 * no argument and no random number, and leaves arguments their names.
 */
const boot = `(function () {
  var stringify = JSON.stringify, parse = JSON.parse, world = globalThis;
  var define = Object.defineProperty, described = Object.getOwnPropertyDescriptor, isExtensible = Object.isExtensible;
  var isAsked = false, a = 0, b = 0, c = 0, d = 0;
  function draw() {
    var drawn = (a + b | 0) + d | 0;
    d = d + 1 | 0; a = b ^ b >>> 9; b = c + (c << 3) | 0; c = c << 21 | c >>> 11; c = c + drawn | 0;
    return drawn >>> 0;
  }
  Math.random = function random() {
    isAsked = true;
    return ((draw() >>> 5) * 67108864 + (draw() >>> 6)) / 9007199254740992;
  };
  function put(name, value) {
    define(world, name, { __proto__: null, value: value, writable: true, enumerable: true, configurable: true });
  }
  function watch(name) {
    function ask() { isAsked = true; }
    define(world, name, { __proto__: null, get: ask, set: ask, enumerable: true, configurable: true });
    return function () {
      var found = described(world, name);
      var isAsItWas = found && found.get === ask && found.enumerable && found.configurable && isExtensible(world);
      if (isAsItWas) delete world[name];
      else isAsked = true;
    };
  }
  return {
    watch: function (second) {
      isAsked = false;
      var port = watch('fPort'), input = watch(second), variables = watch('variables');
      return function () { port(); input(); variables(); return isAsked; };
    },
    begin: function (second, given) {
      given = parse(given);
      a = given.a; b = given.b; c = given.c; d = given.d;
      put('fPort', given.fPort); put(second, given.input); put('variables', given.variables);
      return function (run) { return stringify(run(given.fPort, world[second], world.variables)); };
    },
  };
})()`;

const secondOf = { Decode: 'bytes', Encode: 'obj' };
const stackBytes = 256 << 10;

/** A script whose outermost statements need not be run again; those of others do. */
type CachedScript = { change: MemoryChange; run: QuickJSHandle } | 'different each time';

const mostKnown = 100;
const mostKnownBytes = 256 << 10;
/** Texts of scripts lie in the heap of this thread, which ends when that is full. */
const mostKnownLength = 64 << 10;
/** To get to know a script takes as long as some twenty calls of it: not done for one that is hardly called ... */
const callsBefore = 3;
/** ... and, should there be more of them than can be kept, not most of the time. */
const mostOfTime = 1 / 10;

/** `isOver`: whether the script has had its time. `nowMs` never goes back. */
export function openSandbox(
  quickjs: QuickJSWASMModule,
  { deadlineMs, memoryBytes, resultBytes }: Omit<SandboxLimits, 'killAfterMs'>,
  isOver: () => boolean,
  nowMs = () => performance.now(),
): Sandbox {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(stackBytes);
  runtime.setInterruptHandler(isOver);
  const context = runtime.newContext();
  const tools = valueOf(context.evalCode(boot));
  const [begin, watch] = [context.getProp(tools, 'begin'), context.getProp(tools, 'watch')];
  const image = takeImage(quickjs.getWasmMemory());
  /** Nothing is disposed of here: all of it ends with the next `restore`. */
  const known = new Map<string, CachedScript>();
  const calls = new Map<string, number>();
  let getsToKnowFrom = Number.NEGATIVE_INFINITY;

  function valueOf(outcome: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (!outcome.error) return outcome.value;
    // `consume` would fail for a promise, which `dump` disposes of itself.
    throw new ScriptFault(sentence(context.dump(outcome.error), deadlineMs).slice(0, 1000));
  }

  const invoke = (func: QuickJSHandle, ...args: QuickJSHandle[]) =>
    valueOf(context.callFunction(func, context.undefined, ...args));

  function functionOf({ name, script }: ScriptRun): QuickJSHandle {
    valueOf(context.evalCode(script, `${name.toLowerCase()}r.js`));
    const run = valueOf(context.evalCode(`typeof ${name} === 'function' ? ${name} : undefined`));
    if (context.typeof(run) !== 'function') throw new ScriptFault(`The script has no function ${name}.`);
    return run;
  }

  function beginCall({ name, fPort, input, variables }: ScriptRun): QuickJSHandle {
    const chance = () => Math.floor(Math.random() * 2 ** 32);
    const seed = `"a":${chance()},"b":${chance()},"c":${chance()},"d":${chance()}`;
    const given = `{${seed},"fPort":${fPort},"input":${input},"variables":${variables}}`;
    return invoke(begin, context.newString(secondOf[name]), context.newString(given));
  }

  function cacheScript(call: ScriptRun): CachedScript {
    const changed = image.watch();
    const isAsked = invoke(watch, context.newString(secondOf[call.name]));
    const time = watchTime();
    try {
      const run = functionOf(call);
      const isTimeAsked = time.end();
      if (context.getNumber(invoke(isAsked)) !== 0 || isTimeAsked) return 'different each time';
      const change = changed();
      return change.bytes > mostKnownBytes ? 'different each time' : { change, run };
    } catch (error) {
      // Perhaps only for lack of what it asked for. What is wrong for every call shows again.
      if (error instanceof ScriptFault) return 'different each time';
      throw error;
    } finally {
      time.end();
    }
  }

  /** Once a call has its result: the time that this takes is not missing in it. */
  function maybeCacheScript(name: string, call: ScriptRun): void {
    const times = (calls.get(name) ?? 0) + 1;
    setLatest(calls, mostKnown, name, times);
    const beganAt = nowMs();
    if (times <= callsBefore || beganAt < getsToKnowFrom) return;
    calls.delete(name);
    const one = cacheScript(call);
    getsToKnowFrom = nowMs() + (nowMs() - beganAt) / mostOfTime;
    setLatest(known, mostKnown, name, one);
  }

  function callUnknown(call: ScriptRun): string {
    image.restore();
    const answer = beginCall(call);
    return textOf(context, invoke(answer, functionOf(call)), resultBytes);
  }

  return {
    call: (call) => {
      if (call.script.length > mostKnownLength) return callUnknown(call);
      const name = `${call.name} ${call.script}`;
      const one = known.get(name);
      if (one === 'different each time') return callUnknown(call);
      if (one) {
        image.restore(one.change);
        return textOf(context, invoke(beginCall(call), one.run), resultBytes);
      }
      const text = callUnknown(call);
      maybeCacheScript(name, call);
      return text;
    },
  };
}

/** QuickJS asks this thread for the time. */
function watchTime(): { end: () => boolean } {
  const { now } = Date;
  let isAsked = false;
  Date.now = () => {
    isAsked = true;
    return now();
  };
  return {
    end: () => {
      Date.now = now;
      return isAsked;
    },
  };
}

function textOf(context: QuickJSContext, value: QuickJSHandle, mostBytes: number): string {
  if (context.typeof(value) !== 'string') return 'null';
  const length = context.getNumber(context.getProp(value, 'length'));
  const text = length <= mostBytes ? context.getString(value) : '';
  if (length > mostBytes || Buffer.byteLength(text) > mostBytes)
    throw new ScriptFault(`The result is larger than ${mostBytes >> 10} KB.`);
  return text;
}

/** Of what a script has thrown, which may be anything. */
function sentence(thrown: unknown, deadlineMs: number): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { name, message, stack } = thrown as Record<string, unknown>;
  if (name === undefined && message === undefined) return told(thrown);
  if (message === 'interrupted') return `The script ran longer than ${deadlineMs} ms and was stopped.`;
  const line = typeof stack === 'string' ? /(?:decoder|encoder)\.js:(\d+)/.exec(stack)?.[1] : undefined;
  return `${told(name ?? 'Error')}: ${told(message ?? '')}${line ? ` (line ${line})` : ''}`;
}

const told = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
