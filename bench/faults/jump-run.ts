import { setTimeout as delay } from 'node:timers/promises';
import { openClock } from './clock.ts';
import { type Field, openField } from './field.ts';
import type { Verdict } from './ledger.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

export interface JumpResult extends Verdict {
  /** Number of uplinks that are missing in the statistics after the jump. */
  statisticsLost: number;
}

interface Options extends RunOptions {
  /** Duration of each phase: before, during and after the jump. */
  eachMs: number;
}

const dayMs = 86_400_000;

/** Shifts the server's clock under load and shifts it back. */
export async function runJump(jumpMs: number, options: Options): Promise<JumpResult> {
  using clock = openClock();
  const settings = { ...options.settings, ...clock.settings };
  await using field = await openField({ ...options, settings });
  await field.watch();
  using traffic = startTraffic(field, options.perSecond, options.habits);
  await delay(options.eachMs);
  const before = await uplinksOf(field);
  clock.jump(jumpMs);
  await delay(options.eachMs);
  clock.jump(0);
  await delay(options.eachMs);
  await traffic.end();
  await field.signIn();
  const verdict = await field.audit(options.patienceMs);
  return { ...verdict, statisticsLost: Math.max(0, before - (await uplinksOf(field))) };
}

/** Number of uplinks of all devices yesterday and today, from the statistics. */
async function uplinksOf({ client, devices }: Field): Promise<number> {
  const startTimestamp = new Date(Date.now() - dayMs).toISOString();
  const endTimestamp = new Date().toISOString();
  let sum = 0;
  for (const { devEUI } of devices) {
    const { result } = await client.device.getStats({ devEUI, interval: 'DAY', startTimestamp, endTimestamp });
    for (const { rxPackets } of result) sum += rxPackets;
  }
  return sum;
}
