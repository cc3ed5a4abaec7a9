import { setLatest } from '../latest-n.ts';
import { CodecError, CodecPausedError } from './codec-error.ts';
import { type SandboxCall, type SandboxLimits, type SandboxOutcome, startSandboxThread } from './sandbox-thread.ts';
import { createScriptPauses } from './script-pauses.ts';

export type ScriptCall = Omit<SandboxCall, 'input' | 'variables'> & {
  input: unknown;
  variables: Record<string, string>;
};

export type JavaScriptSandbox = {
  /** The function's result as JSON text, 'null' when it returned nothing. Throws CodecError. */
  run(call: ScriptCall): Promise<string>;
  stop(): Promise<void>;
};

export type SandboxSettings = {
  limits?: Partial<SandboxLimits>;
  /** A call was not even tried: too many of its application wait. */
  onRefused?: () => void;
  /** A script that repeatedly ran out of time is paused. */
  onPause?: () => void;
  /** A call was not run, because its script is paused. */
  onPausedCall?: () => void;
  monotonicMs?: () => number;
};

const defaults: SandboxLimits = { deadlineMs: 100, killAfterMs: 500, memoryBytes: 16 << 20, resultBytes: 64 << 10 };
const slowMs = 20;
const slowForMs = 10 * 60_000;
/** How many calls may wait, and what they may be expected to take together. */
type Load = { calls: number; ms: number };
const mostOfApplication: Load = { calls: 10_000, ms: 2_000 };
const mostOfSlowScript: Load = { calls: 8, ms: Infinity };
/** For a script that has not run yet. */
const unknownMs = 0.5;
const scriptsRemembered = 1_000;

/**
 * Runs the scripts of device-profiles. Applications share the time of the thread evenly, so that who is slow waits for
 * themselves; and a script that was stopped, or slow twice in a row, goes to a lane of slow ones for ten minutes, where
 * only few of its calls may wait. One that keeps being stopped is paused.
 */
export function startJavaScriptSandbox(settings: SandboxSettings = {}): JavaScriptSandbox {
  const { limits = {}, onRefused, onPause, onPausedCall, monotonicMs = () => performance.now() } = settings;
  const all = { ...defaults, ...limits };
  const pauses = createScriptPauses(monotonicMs);
  const fast = { ...startSandboxThread(all), most: mostOfApplication, waiting: new Map<string, Load>() };
  const slow = { ...startSandboxThread(all), most: mostOfSlowScript, waiting: new Map<string, Load>() };
  const usualMs = new Map<string, number>();
  const slowUntil = new Map<string, number>();
  const secondChances = new Map<string, true>();

  function isSlow(script: string): boolean {
    return (slowUntil.get(script) ?? 0) > performance.now();
  }

  /** The first call of a thread pays for its warming up: one that was merely slow is believed the second time. */
  function remember(script: string, { ms }: SandboxOutcome) {
    const usual = usualMs.get(script) ?? unknownMs;
    setLatest(usualMs, scriptsRemembered, script, usual * 0.8 + ms * 0.2);
    const wasSlow = secondChances.delete(script);
    if (ms < slowMs) return;
    if (wasSlow || ms >= all.deadlineMs) setLatest(slowUntil, scriptsRemembered, script, performance.now() + slowForMs);
    else setLatest(secondChances, scriptsRemembered, script, true);
  }

  function refuse(): never {
    onRefused?.();
    throw new CodecError('The script is too slow for its traffic: earlier calls still wait. Make it do less work.');
  }

  function refuseAsPaused(): never {
    onPausedCall?.();
    throw new CodecPausedError(`The script is paused, because it ran longer than ${all.deadlineMs} ms several times.`);
  }

  /** The error of a call that ran out of time; the one that begins a pause says so. */
  function errorOf({ script, owner }: SandboxCall, { error, ms }: Extract<SandboxOutcome, { error: CodecError }>) {
    const pauseMs = ms >= all.deadlineMs ? pauses.timedOut(script, owner) : undefined;
    if (pauseMs === undefined) return error;
    onPause?.();
    return new CodecError(
      `${error.message} This happened several times within a minute: the script is paused for ${pauseMs / 1000} s, ` +
        'and events come without an object until then. A changed script runs at once.',
    );
  }

  /** `queue`: the application, in the lane of slow ones the script. */
  async function runIn({ run, most, waiting }: typeof fast, queue: string, call: SandboxCall) {
    const ms = usualMs.get(call.script) ?? unknownMs;
    const there = waiting.get(queue) ?? { calls: 0, ms: 0 };
    if (there.calls >= most.calls || there.ms >= most.ms) refuse();
    waiting.set(queue, { calls: there.calls + 1, ms: there.ms + ms });
    const outcome = await run(call, ms);
    const left = waiting.get(queue)!;
    if (left.calls > 1) waiting.set(queue, { calls: left.calls - 1, ms: left.ms - ms });
    else waiting.delete(queue);
    return outcome;
  }

  return {
    run: async ({ input, variables, ...rest }) => {
      if (pauses.isPaused(rest.script, rest.owner)) refuseAsPaused();
      const call = { ...rest, input: JSON.stringify(input), variables: JSON.stringify(variables) };
      const outcome = await (isSlow(call.script) ? runIn(slow, call.script, call) : runIn(fast, call.owner, call));
      remember(call.script, outcome);
      if ('error' in outcome) throw errorOf(call, outcome);
      return outcome.result;
    },
    stop: async () => {
      await Promise.all([fast.stop(), slow.stop()]);
    },
  };
}
