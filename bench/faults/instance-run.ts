import { setTimeout as delay } from 'node:timers/promises';
import { settled } from '../driver/pace.ts';
import { countRows } from '../driver/postgres.ts';
import { history, provisionField } from './field.ts';
import { type InstanceFault, instanceFaults, proxyFaults, type StartFault } from './instance-faults.ts';
import { type Instance, startInstances } from './instances.ts';
import type { Verdict } from './ledger.ts';
import { type ResourcePhase, watchResources } from './resource-watch.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

export interface FaultStep {
  fault: InstanceFault;
  seconds: number;
}

interface Options extends RunOptions {
  instances: number;
  /** Pause between two faults and after the last one. */
  restMs: number;
  /** Whether each instance has its own network namespace. */
  isApart?: boolean;
  onBlow?: (blow: FaultStep, nth: number) => void;
}

interface Outcome extends Verdict {
  /** Number of acknowledged uplinks that are still unprocessed in the journal. */
  unfinished: number;
  stretches: readonly ResourcePhase[];
}

/** Instances that could not reach each other process copies of published uplinks after ten seconds. */
const journalPatienceMs = 15_000;
const [lostAcks, refusals] = [0.1, 0.1];

/** Starts one fault after the other, each at another instance of a cluster, while traffic continues. */
export async function runFaultSteps(blows: readonly FaultStep[], options: Options): Promise<Outcome> {
  // On the same machine, a proxy needs as much processor time as the server behind it.
  const isBare = !options.isApart && !blows.some(({ fault }) => proxyFaults.has(fault));
  const settings = { ...history, ...options.settings };
  await using instances = await startInstances(options.instances, settings, { ...options, isBare });
  await using field = await provisionField(instances, { ...options, lostAcks, refusals });
  const victimOf = (nth: number) => instances.all[nth % instances.all.length]!;
  /** Opens the event streams at an instance other than the next one with a fault. */
  async function watchBeside(victim: Instance): Promise<void> {
    instances.isWell(victim, false);
    const place = field.watchedAt();
    if (place === undefined || place === victim.hilltop.url) await field.watch();
  }
  using work = watchResources(instances);
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
    const strike: StartFault = instanceFaults[blow.fault];
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
