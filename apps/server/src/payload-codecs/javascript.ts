import { LRUCache } from 'lru-cache';
import { CodecError, CodecPausedError } from './codec-error.ts';
import type { SandboxCall, SandboxLimits, ScriptResult } from './sandbox-messages.ts';
import { type SandboxOutcome, SandboxThread } from './sandbox-thread.ts';
import { createScriptPauses } from './script-pauses.ts';

export type ScriptCall = Omit<SandboxCall, 'input' | 'variables' | 'isTrial' | 'isCheck'> & {
  input: unknown;
  variables: Record<string, string>;
};

export type JavaScriptSandbox = {
  /** The result of a function, 'null' when it returned nothing. Throws CodecError. */
  run(call: ScriptCall): Promise<ScriptResult>;
  /** Runs a script for its author, in a thread of its own. Undefined when too many trials wait. */
  tryOut(call: ScriptCall): Promise<SandboxOutcome> | undefined;
  /** Whether a script can be parsed and has a function of its direction, in the thread of trials. */
  check(script: Pick<SandboxCall, 'owner' | 'direction' | 'script'>): Promise<SandboxOutcome> | undefined;
  stop(): Promise<void>;
};

export type SandboxSettings = {
  limits?: Partial<SandboxLimits>;
  /** A call was refused, as too many of its application or script wait. */
  onRefused?: () => void;
  /** A script was paused that repeatedly exceeded its time limit. */
  onPause?: () => void;
  /** A thread ended without a running call, or did not start in time. */
  onThreadLost?: (reason: string) => void;
  /** A call was refused, as its script is paused. */
  onPausedCall?: () => void;
  monotonicMs?: () => number;
};

const defaults: SandboxLimits = {
  deadlineMs: 100,
  killAfterMs: 500,
  startWithinMs: 20_000,
  memoryBytes: 16 << 20,
  resultBytes: 64 << 10,
};
/** A deadline counts processor time, of which a background thread gets little while the machine is busy. */
const limitsOfTrials = { isBackground: true, killAfterMs: 2_000 };
const slowMs = 20;
const slowForMs = 10 * 60_000;
/** A number of waiting calls, and their expected duration together. */
type Load = { calls: number; ms: number };
const maxOfApplication: Load = { calls: 10_000, ms: 2_000 };
const maxOfSlowScript: Load = { calls: 8, ms: Infinity };
/** The expected duration of a script that has not run yet. */
const initialMs = 0.5;
const maxScripts = 1_000;
const maxWaitingTrials = 100;

/**
 * Runs the scripts of device profiles in two sandbox threads. Applications share the time of the first one evenly, so that
 * slow scripts delay only their application. A script that was stopped, or slow twice in a row, runs in the second thread for
 * ten minutes, where only eight of its calls may wait. A script that is stopped repeatedly is paused. Trials have a third
 * background thread, which starts with the first one: neither do they wait for uplinks, nor uplinks for them.
 */
export function startJavaScriptSandbox(settings: SandboxSettings = {}): JavaScriptSandbox {
  const {
    limits = {},
    onRefused,
    onPause,
    onPausedCall,
    onThreadLost,
    monotonicMs = () => performance.now(),
  } = settings;
  const all = { ...defaults, ...limits };
  const pauses = createScriptPauses(monotonicMs);
  const startThread = (limit: Load) => ({
    thread: new SandboxThread(all, onThreadLost),
    limit,
    waiting: new Map<string, Load>(),
  });
  const fast = startThread(maxOfApplication);
  const slow = startThread(maxOfSlowScript);
  const durations = new ScriptDurations(all.deadlineMs);
  const trials = createTrials(new SandboxThread({ ...all, ...limitsOfTrials, ...limits }, onThreadLost));

  function refuse(): never {
    onRefused?.();
    throw new CodecError('The script is too slow for its traffic: earlier calls still wait. Make it do less work.');
  }

  function refuseAsPaused(): never {
    onPausedCall?.();
    throw new CodecPausedError(`The script is paused, because it ran longer than ${all.deadlineMs} ms several times.`);
  }

  /** The error of a call. When a pause begins with it, the message says so. */
  function errorOf({ script, owner }: SandboxCall, { error, ms }: Extract<SandboxOutcome, { error: CodecError }>) {
    const pauseMs = ms >= all.deadlineMs ? pauses.recordTimeout(script, owner) : undefined;
    if (pauseMs === undefined) return error;
    onPause?.();
    return new CodecError(
      `${error.message} This happened several times within a minute: the script is paused for ${pauseMs / 1000} s, ` +
        'and events come without an object until then. A changed script runs at once.',
    );
  }

  /** `queue` is the application, and in the thread for slow scripts the script. */
  async function runIn({ thread, limit, waiting }: typeof fast, queue: string, call: SandboxCall) {
    const ms = durations.expectedMs(call.script);
    const before = waiting.get(queue) ?? { calls: 0, ms: 0 };
    if (before.calls >= limit.calls || before.ms >= limit.ms) refuse();
    waiting.set(queue, { calls: before.calls + 1, ms: before.ms + ms });
    const outcome = await thread.run(call, ms);
    const now = waiting.get(queue)!;
    if (now.calls > 1) waiting.set(queue, { calls: now.calls - 1, ms: now.ms - ms });
    else waiting.delete(queue);
    return outcome;
  }

  return {
    tryOut: ({ input, variables, ...script }) =>
      trials.run({
        ...script,
        input: JSON.stringify(input),
        variables: JSON.stringify(variables),
        isTrial: true,
      }),
    check: (script) => trials.run({ ...script, fPort: 1, at: 0, input: '[]', variables: '{}', isCheck: true }),
    run: async ({ input, variables, ...script }) => {
      if (pauses.isPaused(script.script, script.owner)) refuseAsPaused();
      const call = { ...script, input: JSON.stringify(input), variables: JSON.stringify(variables) };
      const outcome = await (durations.isSlow(call.script)
        ? runIn(slow, call.script, call)
        : runIn(fast, call.owner, call));
      durations.record(call.script, outcome.ms);
      if ('error' in outcome) throw errorOf(call, outcome);
      return outcome.result;
    },
    stop: async () => {
      await Promise.all([fast.thread.stop(), slow.thread.stop(), trials.stop()]);
    },
  };
}

/** How long each script takes, and which scripts are slow. */
class ScriptDurations {
  readonly #deadlineMs: number;
  readonly #averageMs = new LRUCache<string, number>({ max: maxScripts });
  readonly #slowUntil = new LRUCache<string, number>({ max: maxScripts });
  /** Scripts whose last call was slow. */
  readonly #slowOnce = new LRUCache<string, true>({ max: maxScripts });

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  expectedMs(script: string): number {
    return this.#averageMs.get(script) ?? initialMs;
  }

  isSlow(script: string): boolean {
    return (this.#slowUntil.get(script) ?? 0) > performance.now();
  }

  /** The first call of a thread includes its warm-up: a script counts as slow after a second slow call. */
  record(script: string, ms: number): void {
    this.#averageMs.set(script, this.expectedMs(script) * 0.8 + ms * 0.2);
    const wasSlow = this.#slowOnce.delete(script);
    if (ms < slowMs) return;
    if (wasSlow || ms >= this.#deadlineMs) this.#slowUntil.set(script, performance.now() + slowForMs);
    else this.#slowOnce.set(script, true);
  }
}

/** Runs trials in their thread while not too many wait. */
function createTrials(thread: SandboxThread) {
  let waiting = 0;
  return {
    run: (call: SandboxCall): Promise<SandboxOutcome> | undefined => {
      if (waiting >= maxWaitingTrials) return undefined;
      waiting += 1;
      return thread.run(call, initialMs).finally(() => {
        waiting -= 1;
      });
    },
    stop: () => thread.stop(),
  };
}
