import { LRUCache } from 'lru-cache';
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { type MemoryChange, takeImage } from './memory-image.ts';
import type { SandboxCall, SandboxLimits } from './sandbox-thread.ts';

/** Runs scripts in QuickJS: each call starts in the same state, with nothing of earlier calls. */
export interface Sandbox {
  /** The result of the function as JSON text. Throws ScriptFault; after any other error the sandbox cannot be used any more. */
  call(call: ScriptRun): string;
}

export type ScriptRun = Omit<SandboxCall, 'owner'>;

/** A failure of a script, with a message for its author. */
export class ScriptFault extends Error {}

/**
 * Captures built-ins before a script can replace them. Arguments are also globals, as in version 3. QuickJS would draw the
 * same random numbers in each call: they come from a seed of the call instead (sfc32).
 *
 * `watch` finds out whether the outermost statements of a script have the same result in every call: they read no argument
 * and no random number, and do not redefine the arguments.
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

/** The memory after the outermost statements of a script, unless these depend on the call. */
type CachedScript = { change: MemoryChange; run: QuickJSHandle } | 'not cacheable';

const maxCached = 100;
const maxCachedBytes = 256 << 10;
/** Scripts are keys in the heap of this thread, which ends when the heap is full. */
const maxCachedLength = 64 << 10;
/** Caching a script takes as long as about twenty calls: rarely used scripts are not cached. */
const callsBeforeCaching = 3;
/** With more scripts than the cache holds, caching takes at most this part of the time. */
const maxCachingShare = 1 / 10;

/** `isOver` says whether the script has used up its time. `nowMs` is monotonic. */
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
  /** Handles need no disposal: the next `restore` drops everything in memory. */
  const cache = new LRUCache<string, CachedScript>({ max: maxCached });
  const calls = new LRUCache<string, number>({ max: maxCached });
  let mayCacheFrom = Number.NEGATIVE_INFINITY;

  function valueOf(outcome: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (!outcome.error) return outcome.value;
    // `consume` would fail for a promise, which `dump` disposes of itself.
    throw new ScriptFault(messageOf(context.dump(outcome.error), deadlineMs).slice(0, 1000));
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
    const random = () => Math.floor(Math.random() * 2 ** 32);
    const seed = `"a":${random()},"b":${random()},"c":${random()},"d":${random()}`;
    const callArguments = `{${seed},"fPort":${fPort},"input":${input},"variables":${variables}}`;
    return invoke(begin, context.newString(secondOf[name]), context.newString(callArguments));
  }

  function cacheScript(call: ScriptRun): CachedScript {
    const changesOf = image.record();
    const isAsked = invoke(watch, context.newString(secondOf[call.name]));
    const time = watchTime();
    try {
      const run = functionOf(call);
      const isTimeAsked = time.end();
      if (context.getNumber(invoke(isAsked)) !== 0 || isTimeAsked) return 'not cacheable';
      const change = changesOf();
      return change.bytes > maxCachedBytes ? 'not cacheable' : { change, run };
    } catch (error) {
      // A script without arguments may fail only because of that. A script that always fails does so in the next call
      // as well.
      if (error instanceof ScriptFault) return 'not cacheable';
      throw error;
    } finally {
      time.end();
    }
  }

  /** Runs after a call has its result, as caching may not use the time of the call. */
  function maybeCacheScript(name: string, call: ScriptRun): void {
    const times = (calls.get(name) ?? 0) + 1;
    calls.set(name, times);
    const beganAt = nowMs();
    if (times <= callsBeforeCaching || beganAt < mayCacheFrom) return;
    calls.delete(name);
    const cached = cacheScript(call);
    mayCacheFrom = nowMs() + (nowMs() - beganAt) / maxCachingShare;
    cache.set(name, cached);
  }

  function callUncached(call: ScriptRun): string {
    image.restore();
    const answer = beginCall(call);
    return textOf(context, invoke(answer, functionOf(call)), resultBytes);
  }

  return {
    call: (call) => {
      if (call.script.length > maxCachedLength) return callUncached(call);
      const name = `${call.name} ${call.script}`;
      const cached = cache.get(name);
      if (cached === 'not cacheable') return callUncached(call);
      if (cached) {
        image.restore(cached.change);
        return textOf(context, invoke(beginCall(call), cached.run), resultBytes);
      }
      const text = callUncached(call);
      maybeCacheScript(name, call);
      return text;
    },
  };
}

/** Whether a script reads the time: QuickJS calls `Date.now` of this thread. */
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

function textOf(context: QuickJSContext, value: QuickJSHandle, maxBytes: number): string {
  if (context.typeof(value) !== 'string') return 'null';
  const length = context.getNumber(context.getProp(value, 'length'));
  const text = length <= maxBytes ? context.getString(value) : '';
  if (length > maxBytes || Buffer.byteLength(text) > maxBytes)
    throw new ScriptFault(`The result is larger than ${maxBytes >> 10} KB.`);
  return text;
}

/** A message for whatever a script has thrown. */
function messageOf(thrown: unknown, deadlineMs: number): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { name, message, stack } = thrown as Record<string, unknown>;
  if (name === undefined && message === undefined) return textOfValue(thrown);
  if (message === 'interrupted') return `The script ran longer than ${deadlineMs} ms and was stopped.`;
  const line = typeof stack === 'string' ? /(?:decoder|encoder)\.js:(\d+)/.exec(stack)?.[1] : undefined;
  return `${textOfValue(name ?? 'Error')}: ${textOfValue(message ?? '')}${line ? ` (line ${line})` : ''}`;
}

const textOfValue = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
