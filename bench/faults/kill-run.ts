import { setTimeout as delay } from 'node:timers/promises';
import { openField } from './field.ts';
import type { Verdict } from './ledger.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

interface Options extends RunOptions {
  /** Between a start and the next kill; each time is somewhere between. */
  shortestMs: number;
  longestMs: number;
  onKill?: (kill: number) => void;
}

/** Devices whose events are watched live; the others' are read when all is over. */
const watched = 6;
const [lostAcks, refusals] = [0.15, 0.15];
/** Of the starts, those that are killed before they are done. */
const unfinishedStarts = 0.15;
const startMs = 500;

/** Kills the server again and again while everything goes on that can. */
export async function runKills(kills: number, options: Options): Promise<Verdict> {
  const { random, shortestMs, longestMs, onKill } = options;
  await using field = await openField({ ...options, lostAcks, refusals });
  const { hilltop, client } = field;
  using traffic = startTraffic(field, options.perSecond, options.habits);
  const aWhile = () => delay(shortestMs + random() * (longestMs - shortestMs));
  for (let kill = 1; kill <= kills; kill += 1) {
    await field.watch(watched);
    await aWhile();
    await field.kill();
    while (random() < unfinishedStarts) {
      const starting = hilltop.start().catch(() => {});
      await delay(random() * startMs);
      await hilltop.stop('SIGKILL');
      await starting;
    }
    await hilltop.start();
    // Another server that has taken the port would answer as well, but knows no session of ours.
    await client.internal.profile({});
    onKill?.(kill);
  }
  await aWhile();
  await traffic.end();
  return await field.audit(options.patienceMs);
}
