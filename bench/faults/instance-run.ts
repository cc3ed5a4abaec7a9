import { setTimeout as delay } from 'node:timers/promises';
import { settled } from '../driver/pace.ts';
import { countRows } from '../driver/postgres.ts';
import { history, layField } from './field.ts';
import { type InstanceFault, instanceFaults, type Strike } from './instance-faults.ts';
import { startInstances } from './instances.ts';
import type { Verdict } from './ledger.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

export interface Blow {
  fault: InstanceFault;
  seconds: number;
}

interface Options extends RunOptions {
  instances: number;
  /** Between two of them, and after the last one. */
  restMs: number;
  /** Each is in a network of its own. */
  isApart?: boolean;
  onBlow?: (blow: Blow, nth: number) => void;
}

/** Copies of what is told already, of which instances could not tell each other, are looked at after ten seconds. */
const journalPatienceMs = 15_000;
const [lostAcks, refusals] = [0.1, 0.1];

/** One blow after the other hits instances that work together, each time another one, while everything goes on that can. */
export async function runBlows(
  blows: readonly Blow[],
  options: Options,
): Promise<Verdict & { /** Acknowledged, and nobody has done anything with them yet. */ unfinished: number }> {
  await using instances = await startInstances(options.instances, { ...history, ...options.settings }, options);
  await using field = await layField(instances, { ...options, lostAcks, refusals });
  const stop = startTraffic(field, options.perSecond, options.habits);
  for (const [nth, blow] of blows.entries()) {
    options.onBlow?.(blow, nth);
    const victim = instances.all[nth % instances.all.length]!;
    instances.isWell(victim, false);
    await field.watch();
    const strike: Strike = instanceFaults[blow.fault];
    const heal = await strike({ instances, victim, field });
    await delay(blow.seconds * 1000);
    await heal();
    instances.isWell(victim, true);
    await delay(options.restMs);
  }
  await stop();
  const verdict = await field.audit(options.patienceMs);
  const unfinished = () => countRows('ns_journal', instances.postgres);
  await settled(0, () => -unfinished(), journalPatienceMs);
  return { ...verdict, unfinished: unfinished() };
}
