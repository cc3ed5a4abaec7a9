import { setTimeout as delay } from 'node:timers/promises';
import { openField } from './field.ts';
import type { Verdict } from './ledger.ts';
import type { Storage } from './storage.ts';
import { type RunOptions, startTraffic } from './traffic.ts';

export interface OutageResult extends Verdict {
  /** Number of calls of `/health` during the outage, and how many of them reported a healthy server. */
  healthAsked: number;
  healthWell: number;
}

interface Options extends RunOptions {
  /** Duration of the traffic before and after the outage. */
  aroundMs: number;
}

const noticeMs = 1000;
const askEveryMs = 500;
const longestAnswerMs = 10_000;

/** Takes the storage of a new server away under load and gives it back. Disposes of the storage afterwards. */
export async function runOutage(
  outage: { storage: Storage; seconds: number },
  options: Options,
): Promise<OutageResult> {
  await using storage = outage.storage;
  const { seconds } = outage;
  const settings = { ...options.settings, ...storage.settings };
  await using field = await openField({ ...options, settings });
  await field.watch();
  using traffic = startTraffic(field, options.perSecond, options.habits);
  await delay(options.aroundMs);

  await storage.takeAway(field.hilltop.pid());
  const until = performance.now() + seconds * 1000;
  let [healthAsked, healthWell] = [0, 0];
  await delay(Math.min(noticeMs, seconds * 500));
  do {
    const signal = AbortSignal.timeout(longestAnswerMs);
    const answer = await fetch(`${field.hilltop.url}/health`, { signal }).catch(() => null);
    healthAsked += 1;
    healthWell += answer?.ok ? 1 : 0;
    await delay(Math.min(askEveryMs, Math.max(0, until - performance.now())));
  } while (performance.now() < until);
  await storage.giveBack(field.hilltop.pid());
  field.ledger.countLateness();
  await field.watch();
  await delay(options.aroundMs);
  await traffic.end();
  return { ...(await field.audit(options.patienceMs)), healthAsked, healthWell };
}
