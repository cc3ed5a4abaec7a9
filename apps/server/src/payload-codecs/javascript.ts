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

const defaults: SandboxLimits = { deadlineMs: 100, killAfterMs: 500, memoryBytes: 16 << 20, resultBytes: 64 << 10 };
const slowMs = 20;
const slowForMs = 10 * 60_000;
const waitingPerSlowScript = 8;

/**
 * Runs the scripts of device-profiles. A script that was slow once goes to a lane of slow ones for ten minutes, where
 * only few of its calls may wait: whatever it does, scripts that behave do not stand behind it.
 */
export function startJavaScriptSandbox(limits: Partial<SandboxLimits> = {}): JavaScriptSandbox {
  const all = { ...defaults, ...limits };
  const fast = startSandboxLane(all);
  const slow = startSandboxLane(all);
  const slowUntil = new Map<string, number>();
  const waiting = new Map<string, number>();

  function isSlow(script: string): boolean {
    const until = slowUntil.get(script);
    if (until !== undefined && until < performance.now()) slowUntil.delete(script);
    return slowUntil.has(script);
  }

  function remember(script: string, { ms }: SandboxOutcome) {
    if (ms < slowMs) return;
    slowUntil.delete(script);
    slowUntil.set(script, performance.now() + slowForMs);
    if (slowUntil.size > 1000) slowUntil.delete(slowUntil.keys().next().value!);
  }

  async function runSlowly(call: SandboxCall): Promise<SandboxOutcome> {
    const before = waiting.get(call.script) ?? 0;
    if (before >= waitingPerSlowScript) {
      throw new CodecError('The script is too slow for its traffic: earlier calls still wait. Make it do less work.');
    }
    waiting.set(call.script, before + 1);
    const outcome = await slow.run(call);
    const left = waiting.get(call.script)! - 1;
    if (left > 0) waiting.set(call.script, left);
    else waiting.delete(call.script);
    return outcome;
  }

  return {
    run: async ({ input, variables, ...rest }) => {
      const call = { ...rest, input: JSON.stringify(input), variables: JSON.stringify(variables) };
      const outcome = await (isSlow(call.script) ? runSlowly(call) : fast.run(call));
      remember(call.script, outcome);
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    stop: async () => {
      await Promise.all([fast.stop(), slow.stop()]);
    },
  };
}
