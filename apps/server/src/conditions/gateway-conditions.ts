import { conditions } from '@hilltop/contract/conditions';
import { sql } from 'kysely';
import { elapsedSince, timeBefore } from '../database/elapsed-time.ts';
import {
  countersSince,
  dayMs,
  type EvaluationContext,
  type FoundCondition,
  hasLasted,
  hourMs,
  isOpen,
  minuteMs,
  msOf,
} from './evaluation-context.ts';

const { GATEWAY_OFFLINE, GATEWAY_FLAPPING, GATEWAY_NEVER_SEEN, GATEWAY_REFUSES, SINGLE_GATEWAY } = conditions;

interface GatewayMarks {
  id: string;
  organization_id: number;
  created_ms: number;
  is_new: boolean | number;
}

interface Outage {
  gateway_id: string;
  started_ms: number;
  ended_ms: number | null;
  reason: string;
}

export async function* gatewayConditions(context: EvaluationContext): AsyncGenerator<FoundCondition> {
  const { query, kind } = context;
  const gateways: GatewayMarks[] = await query
    .selectFrom('gateway')
    .select([
      'id',
      'organization_id',
      msOf(kind, 'created_at').$notNull().as('created_ms'),
      sql<boolean>`(first_seen_at is null and last_seen_at is null and heard_at is null)`.as('is_new'),
    ])
    .execute();
  const outages = await recentOutages(context);
  const byID = new Map(gateways.map((one) => [one.id, one]));
  for (const { id: subjectID, organization_id: organizationID, created_ms: since, is_new } of gateways) {
    const hours = GATEWAY_NEVER_SEEN.parameters.hours;
    const isLate =
      elapsedSince(context.time, since).ms >= hours * hourMs ||
      hasLasted(context, 'GATEWAY_NEVER_SEEN', { subjectID, since });
    if (is_new && isLate) yield { condition: 'GATEWAY_NEVER_SEEN', subjectID, organizationID, since };
    const own = outages.get(subjectID) ?? [];
    const offline = offlineSince(context, subjectID, own);
    if (offline)
      yield {
        condition: 'GATEWAY_OFFLINE',
        subjectID,
        organizationID,
        since: offline.started_ms,
        text: offline.reason,
      };
    const flapping = outagesOfFlapping(context, subjectID, own);
    if (flapping > 0) yield { condition: 'GATEWAY_FLAPPING', subjectID, organizationID, value: flapping };
  }
  for (const [subjectID, value] of await refusedShares(context, byID)) {
    const { organization_id: organizationID } = byID.get(subjectID)!;
    yield { condition: 'GATEWAY_REFUSES', subjectID, organizationID, value };
  }
  for (const [subjectID, value] of await devicesOfSoleGateways(context)) {
    const gateway = byID.get(subjectID);
    if (gateway) yield { condition: 'SINGLE_GATEWAY', subjectID, organizationID: gateway.organization_id, value };
  }
}

/** The outages that last, and those of the last day, by gateway; the newest first. */
async function recentOutages({ query, kind, time }: EvaluationContext): Promise<Map<string, Outage[]>> {
  const from = new Date(timeBefore(time, GATEWAY_FLAPPING.parameters.withinHours * hourMs)).toISOString();
  const rows: Outage[] = await query
    .selectFrom('gateway_outage')
    .select([
      'gateway_id',
      msOf(kind, 'started_at').$notNull().as('started_ms'),
      msOf(kind, 'ended_at').as('ended_ms'),
      'reason',
    ])
    .where(sql<boolean>`(ended_at is null or ended_at >= ${from})`)
    .orderBy('started_at', 'desc')
    .execute();
  return Map.groupBy(rows, ({ gateway_id }) => gateway_id);
}

/** The outage because of which the gateway is offline, or was until a moment ago. */
function offlineSince(context: EvaluationContext, gatewayID: string, outages: readonly Outage[]): Outage | undefined {
  const [last] = outages;
  if (!last) return undefined;
  const { silentMinutes, trafficMinutes } = GATEWAY_OFFLINE.parameters;
  const before = context.open.get(`GATEWAY_OFFLINE ${gatewayID}`);
  if (last.ended_ms !== null) {
    if (!before || elapsedSince(context.time, last.ended_ms).ms >= trafficMinutes * minuteMs) return undefined;
    return { ...last, started_ms: before.since };
  }
  const { ms, missedMs } = elapsedSince(context.time, last.started_ms);
  const needed = silentMinutes * minuteMs * (missedMs > 0 ? 2 : 1);
  if (!before && ms < needed) return undefined;
  return { ...last, started_ms: before?.since ?? last.started_ms };
}

/** The outages of a day, if they are too many or once were and go on; else 0. */
function outagesOfFlapping(context: EvaluationContext, gatewayID: string, outages: readonly Outage[]): number {
  const { outages: most, withinHours } = GATEWAY_FLAPPING.parameters;
  const isRecent = ({ started_ms }: Outage) => elapsedSince(context.time, started_ms).ms < withinHours * hourMs;
  const recent = outages.filter(isRecent).length;
  if (recent >= most) return recent;
  return isOpen(context, 'GATEWAY_FLAPPING', gatewayID) ? recent : 0;
}

const statusPrefix = 'tx_status_';
const subjectPrefix = 'gateway:';

interface DownlinkCounts {
  downlinks: number;
  refused: number;
}

/** The share of downlinks that each of these gateways refused, in percent, where that is too much. */
async function refusedShares(
  context: EvaluationContext,
  gateways: ReadonlyMap<string, GatewayMarks>,
): Promise<Map<string, number>> {
  const { refusedPercent, endPercent, downlinks: least, withinMinutes } = GATEWAY_REFUSES.parameters;
  const from = timeBefore(context.time, withinMinutes * minuteMs);
  const perhaps = [...(await countsOf(context, [...gateways.keys()], { interval: 'HOUR', from: from - hourMs }))]
    .filter(([, { refused }]) => refused > 0)
    .map(([id]) => id);
  const shares = new Map<string, number>();
  for (const [id, { downlinks, refused }] of await countsOf(context, perhaps, { interval: 'MINUTE', from })) {
    const percent = Math.round((1000 * refused) / downlinks) / 10;
    const isRefusing = isOpen(context, 'GATEWAY_REFUSES', id)
      ? percent >= endPercent
      : percent > refusedPercent && downlinks >= least;
    if (isRefusing) shares.set(id, percent);
  }
  return shares;
}

/** The downlinks of these gateways by their statistics from a time on; only of those that had some. */
async function countsOf(
  context: EvaluationContext,
  ids: readonly string[],
  since: { interval: string; from: number },
): Promise<Map<string, DownlinkCounts>> {
  const counts = new Map<string, DownlinkCounts>();
  const subjects = ids.map((id) => `${subjectPrefix}${id}`);
  for (const { subject, counters } of await countersSince(context, subjects, since)) {
    for (const [name, count] of Object.entries(counters)) {
      if (!name.startsWith(statusPrefix)) continue;
      const id = subject.slice(subjectPrefix.length);
      const sum = counts.get(id) ?? { downlinks: 0, refused: 0 };
      sum.downlinks += count;
      if (name !== `${statusPrefix}OK`) sum.refused += count;
      counts.set(id, sum);
    }
  }
  return counts;
}

/** How many devices of its organization only this gateway has received for a day, by gateway. */
async function devicesOfSoleGateways({ query, time }: EvaluationContext): Promise<Map<string, number>> {
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .innerJoin('gateway', (join) =>
      join
        .onRef('gateway.id', '=', 'device.sole_gateway')
        .onRef('gateway.organization_id', '=', 'application.organization_id'),
    )
    .select(({ fn }) => ['device.sole_gateway', fn.countAll().as('count')])
    .where('device.sole_gateway', '<>', '')
    .where('device.sole_since', '<=', timeBefore(time, SINGLE_GATEWAY.parameters.hours * hourMs))
    .where('device.seen_mark', '>=', new Date(timeBefore(time, dayMs)).toISOString() as never)
    .groupBy('device.sole_gateway')
    .execute();
  return new Map(rows.map(({ sole_gateway, count }) => [sole_gateway, Number(count)]));
}
