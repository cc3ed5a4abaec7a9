import { setTimeout as delay } from 'node:timers/promises';
import { settled } from '../driver/pace.ts';
import { countRows } from '../driver/postgres.ts';
import { history, layField } from './field.ts';
import { betweenThem, type InstanceFault, instanceFaults, type Strike } from './instance-faults.ts';
import { type Instance, startInstances } from './instances.ts';
import type { Verdict } from './ledger.ts';
import { type RunOptions, startTraffic } from './traffic.ts';
import { type Stretch, watchWork } from './work.ts';

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

interface Outcome extends Verdict {
  /** Acknowledged, and nobody has done anything with them yet. */
  unfinished: number;
  stretches: readonly Stretch[];
}

/** Copies of what is told already, of which instances could not tell each other, are looked at after ten seconds. */
const journalPatienceMs = 15_000;
const [lostAcks, refusals] = [0.1, 0.1];

/** One blow after the other hits instances that work together, each time another one, while everything goes on that can. */
export async function runBlows(blows: readonly Blow[], options: Options): Promise<Outcome> {
  // What stands between costs as much as what it stands between, on the same machine.
  const isBare = !options.isApart && !blows.some(({ fault }) => betweenThem.has(fault));
  const settings = { ...history, ...options.settings };
  await using instances = await startInstances(options.instances, settings, { ...options, isBare });
  await using field = await layField(instances, { ...options, lostAcks, refusals });
  const victimOf = (nth: number) => instances.all[nth % instances.all.length]!;
  /** What is watched where nothing is going to happen. */
  async function watchBeside(victim: Instance): Promise<void> {
    instances.isWell(victim, false);
    const place = field.watchedAt();
    if (place === undefined || place === victim.hilltop.url) await field.watch();
  }
  using work = watchWork(instances);
  await watchBeside(victimOf(0));
  using traffic = startTraffic(field, options.perSecond, options.habits);
  work.begin('before');
  await delay(options.restMs);
  for (const [nth, blow] of blows.entries()) {
    options.onBlow?.(blow, nth);
    const victim = victimOf(nth);
    if (nth > 0) {
      work.begin('streams open');
      await watchBeside(victim);
    }
    work.begin(blow.fault);
    const strike: Strike = instanceFaults[blow.fault];
    const heal = await strike({ instances, victim, field });
    await delay(blow.seconds * 1000);
    work.begin(`${blow.fault}, undone`);
    await heal();
    work.begin('after');
    instances.isWell(victim, true);
    await delay(options.restMs);
  }
  await traffic.end();
  const stretches = work.stretches();
  const verdict = await field.audit(options.patienceMs);
  const unfinished = () => countRows('ns_journal', instances.postgres);
  await settled(0, () => -unfinished(), journalPatienceMs);
  return { ...verdict, stretches, unfinished: unfinished() };
}
