import { LRUCache } from 'lru-cache';
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { deepestJSON, jsonDepth } from './json-depth.ts';
import { type MemoryChange, takeImage } from './memory-image.ts';
import { quantitiesFrom } from './quantities.ts';
import { boot, bufferNames, buffers } from './sandbox-globals.ts';
import {
  functionsOf,
  type ScriptDirection,
  type ScriptFunction,
  type ScriptLimits,
  type ScriptPosition,
  type ScriptResult,
  type ScriptRun,
  timeExceeded,
} from './sandbox-messages.ts';

/** Runs scripts in QuickJS: each call starts in the same state, with nothing of earlier calls. */
export interface Sandbox {
  /** Runs the function of a script. Throws ScriptFault; after any other error the sandbox cannot be used any more. */
  call(call: ScriptRun): ScriptResult;
  /** The function that a call would run. Throws ScriptFault when the script cannot be parsed, or defines none. */
  check(call: Pick<ScriptRun, 'direction' | 'script'>): ScriptFunction;
  /** The lines that the last trial wrote with `console`. */
  consoleLines(): string[];
}

/** A failure of a script, with a message for its author. */
export class ScriptFault extends Error {
  readonly position: ScriptPosition | undefined;

  constructor(message: string, position?: ScriptPosition) {
    super(message);
    this.position = position;
  }
}

const scriptFile = 'codec.js';

/** The name of the second argument in the recorded dialect. */
const secondOf = { uplink: 'bytes', downlink: 'obj' };
const stackBytes = 256 << 10;

/** The memory after the outermost statements of a script, unless these depend on the call. */
type CachedScript = { change: MemoryChange; found: FoundFunction } | 'not cacheable';
/** What `normalizeUplink` returned. */
type Normalized = { data?: unknown; errors?: unknown };
type FoundFunction = { func: ScriptFunction; run: QuickJSHandle; normalize: QuickJSHandle | undefined };

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
  limits: ScriptLimits,
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
  readonly #exported: QuickJSHandle;
  readonly #normalize: QuickJSHandle;
  readonly #lines: QuickJSHandle;
  readonly #image: ReturnType<typeof takeImage>;
  /** Handles need no disposal: the next `restore` drops everything in memory. */
  readonly #cache = new LRUCache<string, CachedScript>({ max: maxCached });
  readonly #calls = new LRUCache<string, number>({ max: maxCached });
  #mayCacheFrom = Number.NEGATIVE_INFINITY;

  constructor(
    quickjs: QuickJSWASMModule,
    { deadlineMs, memoryBytes, resultBytes }: ScriptLimits,
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
    this.#exported = this.#context.getProp(tools, 'exported');
    this.#normalize = this.#context.getProp(tools, 'normalize');
    this.#lines = this.#context.getProp(tools, 'lines');
    this.#image = takeImage(quickjs.getWasmMemory());
  }

  call(call: ScriptRun): ScriptResult {
    if (call.isTrial || call.script.length > maxCachedLength) return this.#callUncached(call);
    const name = `${call.direction} ${call.script}`;
    const cached = this.#cache.get(name);
    if (cached === 'not cacheable') return this.#callUncached(call);
    if (cached) {
      this.#image.restore(cached.change);
      return this.#run(this.#beginCall(call), cached.found);
    }
    const result = this.#callUncached(call);
    this.#maybeCacheScript(name, call);
    return result;
  }

  check({ direction, script }: Pick<ScriptRun, 'direction' | 'script'>): ScriptFunction {
    this.#image.restore();
    this.#valueOf(this.#context.evalCode(script, scriptFile, { compileOnly: true }));
    const call = { direction, script, fPort: 1, at: 0, input: '[]', variables: '{}' };
    this.#image.restore();
    this.#beginCall(call);
    let thrown: unknown;
    try {
      this.#evaluate(script);
    } catch (error) {
      // The outermost statements may fail only without real arguments, and functions are defined before they run.
      thrown = error;
    }
    const found = this.#find(direction);
    if (found) return found.func;
    throw thrown ?? missing(direction);
  }

  consoleLines(): string[] {
    try {
      const lines: unknown = JSON.parse(this.#context.getString(this.#invoke(this.#lines)));
      return Array.isArray(lines) ? lines.map(String) : [];
    } catch {
      // A script that used up its memory, or replaced what the list needs, shows no lines.
      return [];
    }
  }

  #valueOf(outcome: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (!outcome.error) return outcome.value;
    // `consume` would fail for a promise, which `dump` disposes of itself.
    const thrown: unknown = this.#context.dump(outcome.error);
    const message = visible(messageOf(thrown, this.#deadlineMs).slice(0, 1000));
    throw new ScriptFault(message || 'The script threw a value that has no text: throw an Error.', positionOf(thrown));
  }

  #invoke(func: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    return this.#valueOf(this.#context.callFunction(func, this.#context.undefined, ...args));
  }

  #evaluate(script: string): void {
    if (bufferNames.test(script)) this.#valueOf(this.#context.evalCode(buffers, 'buffers.js'));
    this.#valueOf(this.#context.evalCode(script, scriptFile));
  }

  /** A global function of this name, or a member of `module.exports`. */
  #functionCalled(name: string): QuickJSHandle | undefined {
    const global = this.#valueOf(this.#context.evalCode(`typeof ${name} === 'function' ? ${name} : undefined`));
    if (this.#context.typeof(global) === 'function') return global;
    const exported = this.#invoke(this.#exported, this.#context.newString(name));
    return this.#context.typeof(exported) === 'function' ? exported : undefined;
  }

  #find(direction: ScriptDirection): FoundFunction | undefined {
    for (const func of functionsOf[direction]) {
      const run = this.#functionCalled(func);
      if (!run) continue;
      const normalize = func === 'decodeUplink' ? this.#functionCalled('normalizeUplink') : undefined;
      return { func, run, normalize };
    }
    return undefined;
  }

  #functionOf({ direction, script }: ScriptRun): FoundFunction {
    this.#evaluate(script);
    const found = this.#find(direction);
    if (!found) throw missing(direction);
    return found;
  }

  #beginCall({ direction, fPort, at, input, variables, isTrial }: ScriptRun): QuickJSHandle {
    const random = () => Math.floor(Math.random() * 2 ** 32);
    const seed = `"a":${random()},"b":${random()},"c":${random()},"d":${random()},"at":${at}`;
    const trial = isTrial ? ',"isTrial":true' : '';
    const callArguments = `{${seed},"fPort":${fPort},"input":${input},"variables":${variables}${trial}}`;
    const second = this.#context.newString(secondOf[direction]);
    return this.#invoke(this.#begin, second, this.#context.newString(callArguments));
  }

  /** Only `Decode` returns its object alone: its calls are the most frequent. */
  #run(answer: QuickJSHandle, { func, run, normalize }: FoundFunction): ScriptResult {
    if (func === 'Decode') return { func, json: this.#textOf(this.#invoke(answer, run)) };
    const json = this.#textOf(this.#invoke(answer, run, this.#context.newString(func)));
    if (func === 'Encode') return { func, json };
    const result = readResult(func, json);
    return normalize && result.errors?.length === 0 ? this.#withQuantities(normalize, result) : result;
  }

  /** A failure of `normalizeUplink` is a warning: the decoded object is complete without it. */
  #withQuantities(normalize: QuickJSHandle, result: ScriptResult): ScriptResult {
    const warn = (problems: readonly string[]): ScriptResult => ({
      ...result,
      warnings: [...(result.warnings ?? []), ...problems.map((problem) => `normalizeUplink: ${problem}`)],
    });
    try {
      const given = this.#context.newString(result.json);
      const normal = JSON.parse(this.#textOf(this.#invoke(this.#normalize, normalize, given))) as Normalized;
      const problems = messagesOf(normal.errors);
      if (problems.length > 0) return warn(problems);
      if (normal.data === undefined) return result;
      return { ...result, quantities: quantitiesFrom(JSON.parse(result.json), normal.data) };
    } catch (error) {
      if (!(error instanceof ScriptFault)) throw error;
      return warn([error.message.slice(0, longestMessage)]);
    }
  }

  #textOf(value: QuickJSHandle): string {
    return textOf(this.#context, value, this.#resultBytes);
  }

  #cacheScript(call: ScriptRun): CachedScript {
    const changesOf = this.#image.record();
    const isAsked = this.#invoke(this.#watch, this.#context.newString(secondOf[call.direction]));
    const time = watchTime();
    try {
      const found = this.#functionOf(call);
      const isTimeAsked = time.end();
      if (this.#context.getNumber(this.#invoke(isAsked)) !== 0 || isTimeAsked) return 'not cacheable';
      const change = changesOf();
      return change.bytes > maxCachedBytes ? 'not cacheable' : { change, found };
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

  #callUncached(call: ScriptRun): ScriptResult {
    this.#image.restore();
    const answer = this.#beginCall(call);
    return this.#run(answer, this.#functionOf(call));
  }
}

function missing(direction: ScriptDirection): ScriptFault {
  return new ScriptFault(`The script has no function ${functionsOf[direction].join(' or ')}.`);
}

const mostMessages = 10;
const longestMessage = 200;

/** The texts of `warnings` or `errors`: a list, or a single text. */
function messagesOf(value: unknown): string[] {
  const list: unknown[] = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  return list.slice(0, mostMessages).map((message) => visible(textOfValue(message).slice(0, longestMessage)));
}

/** Reads what `decodeUplink` or `encodeDownlink` returned. */
function readResult(func: 'decodeUplink' | 'encodeDownlink', text: string): ScriptResult {
  const { data, fPort, ...messages } = JSON.parse(text) as Record<string, unknown>;
  const warnings = messagesOf(messages.warnings);
  const errors = messagesOf(messages.errors);
  if (data === undefined && errors.length === 0) {
    throw new ScriptFault(`${func} must return ${func === 'decodeUplink' ? 'data' : 'bytes'}, or errors.`);
  }
  return {
    func,
    json: data === undefined ? 'null' : JSON.stringify(data),
    ...(isPort(fPort) && { fPort }),
    warnings,
    errors,
  };
}

const isPort = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) < 256;

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
  if (jsonDepth(text) > deepestJSON) throw new ScriptFault(`The result nests more than ${deepestJSON} levels.`);
  return text;
}

/** Without characters that hide or reorder the text around them. */
const visible = (text: string) => text.replace(/[^\P{C}\n\t]/gu, '\ufffd');

/** A message for whatever a script has thrown. */
function messageOf(thrown: unknown, deadlineMs: number): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { name, message } = thrown as Record<string, unknown>;
  if (name === undefined && message === undefined) {
    const text = textOfValue(thrown);
    return text === '{}' || text === '[]' ? '' : text;
  }
  if (message === 'interrupted') return timeExceeded(deadlineMs);
  const line = positionOf(thrown)?.line;
  return `${textOfValue(name ?? 'Error')}: ${textOfValue(message ?? '')}${line ? ` (line ${line})` : ''}`;
}

function positionOf(thrown: unknown): ScriptPosition | undefined {
  const { stack } = Object(thrown) as { stack?: unknown };
  const found = typeof stack === 'string' ? /codec\.js:(\d+)(?::(\d+))?/.exec(stack) : undefined;
  return found ? { line: Number(found[1]), column: Number(found[2] ?? 0) } : undefined;
}

const textOfValue = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : (JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member)) ??
      String(value));
