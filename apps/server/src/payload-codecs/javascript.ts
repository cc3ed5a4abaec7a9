import { CodecError } from './codec-error.ts';
import { type SandboxCall, type SandboxLimits, type SandboxOutcome, startSandboxLane } from './sandbox-lane.ts';

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
};

const defaults: SandboxLimits = { deadlineMs: 100, killAfterMs: 500, memoryBytes: 16 << 20, resultBytes: 64 << 10 };
const slowMs = 20;
const slowForMs = 10 * 60_000;
/** How many calls may wait, and what they may be expected to take together. */
const mostOfApplication = { calls: 10_000, ms: 2_000 };
const mostOfSlowScript = { calls: 8, ms: Infinity };
/** For a script that has not run yet. */
const unknownMs = 0.5;
const scriptsRemembered = 1_000;

/**
 * Runs the scripts of device-profiles. Applications share the time of the thread evenly, so that who is slow waits for
 * themselves; and a script that was very slow once goes to a lane of slow ones for ten minutes, where only few of its
 * calls may wait.
 */
export function startJavaScriptSandbox({ limits = {}, onRefused }: SandboxSettings = {}): JavaScriptSandbox {
  const all = { ...defaults, ...limits };
  const fast = startSandboxLane(all);
  const slow = startSandboxLane(all);
  const usualMs = new Map<string, number>();
  const slowUntil = new Map<string, number>();
  /** By application, and in the lane of slow ones by script. */
  const waiting = new Map<string, { calls: number; ms: number }>();

  function isSlow(script: string): boolean {
    return (slowUntil.get(script) ?? 0) > performance.now();
  }

  function remember(script: string, { ms }: SandboxOutcome) {
    keep(usualMs, script, (usualMs.get(script) ?? ms) * 0.8 + ms * 0.2);
    if (ms >= slowMs) keep(slowUntil, script, performance.now() + slowForMs);
  }

  function refuse(): never {
    onRefused?.();
    throw new CodecError('The script is too slow for its traffic: earlier calls still wait. Make it do less work.');
  }

  async function runIn(lane: typeof fast, queue: string, call: SandboxCall, most: { calls: number; ms: number }) {
    const ms = usualMs.get(call.script) ?? unknownMs;
    const there = waiting.get(queue) ?? { calls: 0, ms: 0 };
    if (there.calls >= most.calls || there.ms >= most.ms) refuse();
    waiting.set(queue, { calls: there.calls + 1, ms: there.ms + ms });
    const outcome = await lane.run(call, ms);
    const left = waiting.get(queue)!;
    if (left.calls > 1) waiting.set(queue, { calls: left.calls - 1, ms: left.ms - ms });
    else waiting.delete(queue);
    return outcome;
  }

  return {
    run: async ({ input, variables, ...rest }) => {
      const call = { ...rest, input: JSON.stringify(input), variables: JSON.stringify(variables) };
      const outcome = await (isSlow(call.script)
        ? runIn(slow, call.script, call, mostOfSlowScript)
        : runIn(fast, call.owner, call, mostOfApplication));
      remember(call.script, outcome);
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    stop: async () => {
      await Promise.all([fast.stop(), slow.stop()]);
    },
  };
}

/** Sets a value of a map that forgets what was set longest ago. */
function keep<T>(of: Map<string, T>, key: string, value: T): void {
  of.delete(key);
  of.set(key, value);
  if (of.size > scriptsRemembered) of.delete(of.keys().next().value!);
}
