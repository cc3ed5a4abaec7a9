import { setTimeout as delay } from 'node:timers/promises';
import { openField } from './field.ts';
import type { Verdict } from './ledger.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

interface Options extends RunOptions {
  /** Limits of the random time between a start and the next kill. */
  shortestMs: number;
  longestMs: number;
  onKill?: (kill: number) => void;
}

/** Number of devices whose events are watched live; the events of the others are read at the end. */
const watched = 6;
const [lostAcks, refusals] = [0.15, 0.15];
/** Share of starts that are killed before they are complete. */
const unfinishedStarts = 0.15;
const startMs = 500;

/** Kills the server repeatedly while traffic continues. */
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
    // Another server on the same port would answer too, but rejects our session.
    await client.internal.profile({});
    onKill?.(kill);
  }
  await aWhile();
  await traffic.end();
  return await field.audit(options.patienceMs);
}
