import { type AttentionCount, conditionOf, type Operations, operations, type Snooze } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { mayCall } from '../../identity/access.ts';
import type { Principal } from '../../identity/principals.ts';
import { readTotals } from '../../statistics/totals.ts';
import {
  attentionCountOf,
  countConditions,
  countSubjects,
  lastEvaluation,
  listConditions,
  snoozeCondition,
} from './store.ts';

interface AttentionDependencies {
  database: Database;
  clock: Pick<Clock, 'now'>;
}

const dayMs = 86_400_000;
const overviewDays = 8;
/** The end of times that are shown. */
const endless = Date.UTC(9999, 11, 31);

function snoozedUntil(time: Snooze, now: number): number | null {
  if (time === 'NONE') return null;
  if (time === 'UNTIL_IT_ENDS') return endless;
  return now + (time === 'DAY' ? dayMs : 7 * dayMs);
}

/** The conditions of API keys are counted only for those who may list the keys. */
async function visibleCounts(
  database: Database,
  organizationID: number | undefined,
  { now, principal }: { now: number; principal: Principal },
): Promise<AttentionCount[]> {
  const counts = await countConditions(database, organizationID, now);
  const isOfKeys = ({ condition }: AttentionCount) => conditionOf(condition).subject === 'API_KEY';
  if (principal?.isAdmin || !counts.some(isOfKeys)) return counts;
  const keys = { organizationID: String(organizationID ?? 0) };
  const mayList = await mayCall({ database }, operations.internal.listAPIKeys, keys, principal);
  return mayList ? counts : counts.filter((count) => !isOfKeys(count));
}

export function attentionRoutes({ database, clock }: AttentionDependencies): Handlers<Operations['attention']> {
  const nowMs = () => clock.now().getTime();
  return {
    list: async ({ organizationID: id, ...filter }, { principal }) => {
      const organizationID = toFilterID(id);
      const now = nowMs();
      const counts = await visibleCounts(database, organizationID, { now, principal });
      const conditions = counts.map(({ condition }) => condition);
      const { at } = await lastEvaluation(database);
      return {
        counts,
        result: await listConditions(database, { ...filter, organizationID }, { conditions, now }),
        evaluatedAt: at === undefined ? null : new Date(at).toISOString(),
        ...(await countSubjects(database, organizationID)),
      };
    },
    snooze: async ({ id, time }) => {
      await snoozeCondition(database, id, snoozedUntil(time, nowMs()));
      return {};
    },
  };
}

export function overviewRoutes({ database, clock }: AttentionDependencies): Handlers<Operations['overview']> {
  return {
    get: async ({ organizationID: id }, { principal }) => {
      const organizationID = toFilterID(id);
      const to = clock.now().getTime();
      const hours = await readTotals(database, { organizationID, from: to - overviewDays * dayMs, to });
      return {
        attentionCount: attentionCountOf(await visibleCounts(database, organizationID, { now: to, principal })),
        hours: hours.map(({ start, counters }) => ({
          startsAt: new Date(start).toISOString(),
          uplinks: counters['rx_count'] ?? 0,
          downlinks: counters['tx_count'] ?? 0,
          errors: counters['errors'] ?? 0,
          joins: counters['join_count'] ?? 0,
          lost: counters['lost_count'] ?? 0,
        })),
      };
    },
  };
}
