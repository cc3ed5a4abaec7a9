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
  limits: Omit<SandboxLimits, 'killAfterMs'>,
  isOver: () => boolean,
  nowMs = () => performance.now(),
): Sandbox {
  return new QuickJSSandbox(quickjs, limits, isOver, nowMs);
}

class QuickJSSandbox implements Sandbox {
  readonly #deadlineMs: number;
  readonly #resultBytes: number;
  readonly #nowMs: () => number;
  readonly #context: QuickJSContext;
  readonly #begin: QuickJSHandle;
  readonly #watch: QuickJSHandle;
  readonly #image: ReturnType<typeof takeImage>;
  /** Handles need no disposal: the next `restore` drops everything in memory. */
  readonly #cache = new LRUCache<string, CachedScript>({ max: maxCached });
  readonly #calls = new LRUCache<string, number>({ max: maxCached });
  #mayCacheFrom = Number.NEGATIVE_INFINITY;

  constructor(
    quickjs: QuickJSWASMModule,
    { deadlineMs, memoryBytes, resultBytes }: Omit<SandboxLimits, 'killAfterMs'>,
    isOver: () => boolean,
    nowMs: () => number,
  ) {
    this.#deadlineMs = deadlineMs;
    this.#resultBytes = resultBytes;
    this.#nowMs = nowMs;
    const runtime = quickjs.newRuntime();
    runtime.setMemoryLimit(memoryBytes);
    runtime.setMaxStackSize(stackBytes);
    runtime.setInterruptHandler(isOver);
    this.#context = runtime.newContext();
    const tools = this.#valueOf(this.#context.evalCode(boot));
    this.#begin = this.#context.getProp(tools, 'begin');
    this.#watch = this.#context.getProp(tools, 'watch');
    this.#image = takeImage(quickjs.getWasmMemory());
  }

  call(call: ScriptRun): string {
    if (call.script.length > maxCachedLength) return this.#callUncached(call);
    const name = `${call.name} ${call.script}`;
    const cached = this.#cache.get(name);
    if (cached === 'not cacheable') return this.#callUncached(call);
    if (cached) {
      this.#image.restore(cached.change);
      return textOf(this.#context, this.#invoke(this.#beginCall(call), cached.run), this.#resultBytes);
    }
    const text = this.#callUncached(call);
    this.#maybeCacheScript(name, call);
    return text;
  }

  #valueOf(outcome: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (!outcome.error) return outcome.value;
    // `consume` would fail for a promise, which `dump` disposes of itself.
    throw new ScriptFault(messageOf(this.#context.dump(outcome.error), this.#deadlineMs).slice(0, 1000));
  }

  #invoke(func: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    return this.#valueOf(this.#context.callFunction(func, this.#context.undefined, ...args));
  }

  #functionOf({ name, script }: ScriptRun): QuickJSHandle {
    this.#valueOf(this.#context.evalCode(script, `${name.toLowerCase()}r.js`));
    const run = this.#valueOf(this.#context.evalCode(`typeof ${name} === 'function' ? ${name} : undefined`));
    if (this.#context.typeof(run) !== 'function') throw new ScriptFault(`The script has no function ${name}.`);
    return run;
  }

  #beginCall({ name, fPort, input, variables }: ScriptRun): QuickJSHandle {
    const random = () => Math.floor(Math.random() * 2 ** 32);
    const seed = `"a":${random()},"b":${random()},"c":${random()},"d":${random()}`;
    const callArguments = `{${seed},"fPort":${fPort},"input":${input},"variables":${variables}}`;
    return this.#invoke(this.#begin, this.#context.newString(secondOf[name]), this.#context.newString(callArguments));
  }

  #cacheScript(call: ScriptRun): CachedScript {
    const changesOf = this.#image.record();
    const isAsked = this.#invoke(this.#watch, this.#context.newString(secondOf[call.name]));
    const time = watchTime();
    try {
      const run = this.#functionOf(call);
      const isTimeAsked = time.end();
      if (this.#context.getNumber(this.#invoke(isAsked)) !== 0 || isTimeAsked) return 'not cacheable';
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
  #maybeCacheScript(name: string, call: ScriptRun): void {
    const times = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, times);
    const beganAt = this.#nowMs();
    if (times <= callsBeforeCaching || beganAt < this.#mayCacheFrom) return;
    this.#calls.delete(name);
    const cached = this.#cacheScript(call);
    this.#mayCacheFrom = this.#nowMs() + (this.#nowMs() - beganAt) / maxCachingShare;
    this.#cache.set(name, cached);
  }

  #callUncached(call: ScriptRun): string {
    this.#image.restore();
    const answer = this.#beginCall(call);
    return textOf(this.#context, this.#invoke(answer, this.#functionOf(call)), this.#resultBytes);
  }
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
