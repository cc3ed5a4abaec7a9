import { type ConditionName, conditions } from '@hilltop/contract/conditions';
import { sql } from 'kysely';
import { elapsedSince, timeBefore } from '../database/elapsed-time.ts';
import { isSuspendedFromStart } from '../delivery/suspended-from-start.ts';
import {
  countersSince,
  dayMs,
  type EvaluationContext,
  type FoundCondition,
  hasLasted,
  hourMs,
  minuteMs,
  msOf,
} from './evaluation-context.ts';

const { INTEGRATION_FAILING, KEY_EXPIRES } = conditions;

/** The organization of what belongs to none, and the id of the installation as a subject. */
export const installation = { organizationID: 0, subjectID: 'installation' } as const;

export async function* integrationConditions(context: EvaluationContext): AsyncGenerator<FoundCondition> {
  const { query, kind, time } = context;
  const degradedMs = INTEGRATION_FAILING.parameters.degradedMinutes * minuteMs;
  const dead = await query
    .selectFrom('delivery_parked')
    .select(({ fn }) => ['integration_id', fn.countAll().as('count')])
    .where('dead_at', 'is not', null)
    .groupBy('integration_id')
    .execute();
  const deadLetters = new Map(dead.map(({ integration_id, count }) => [integration_id, Number(count)]));
  const states = await query
    .selectFrom('integration_state')
    .innerJoin('integration', 'integration.id', 'integration_state.integration_id')
    .leftJoin('application', 'application.id', 'integration.application_id')
    .select([
      'integration_state.integration_id',
      'integration_state.state',
      'integration_state.reason',
      'integration.application_id',
      'integration.organization_id',
      'application.organization_id as application_organization_id',
      msOf(kind, 'integration_state.since').$notNull().as('since_ms'),
    ])
    .where(sql<boolean>`not ${isSuspendedFromStart}`)
    .execute();
  const expiredEvents = await expiredEventsOf(
    context,
    states.map(({ integration_id }) => integration_id),
  );
  for (const { integration_id: id, state, reason, application_id, since_ms, ...owners } of states) {
    const count = deadLetters.get(id) ?? 0;
    const expired = expiredEvents.get(id) ?? 0;
    const hasFailed = () =>
      elapsedSince(time, since_ms).ms >= degradedMs ||
      hasLasted(context, 'INTEGRATION_FAILING', { subjectID: String(id), since: since_ms });
    const isFailing = state === 'SUSPENDED' || (state === 'DEGRADED' && hasFailed());
    if (!isFailing && count === 0 && expired === 0) continue;
    yield {
      condition: 'INTEGRATION_FAILING',
      subjectID: String(id),
      organizationID: owners.organization_id ?? owners.application_organization_id ?? installation.organizationID,
      applicationID: application_id,
      since: isFailing ? since_ms : undefined,
      value: count,
      text: reason || (expired > 0 ? `Events that expired undelivered: ${expired}.` : undefined),
    };
  }
}

/** How many events of these integrations expired in the last hours, where there are some. */
async function expiredEventsOf(context: EvaluationContext, ids: readonly number[]): Promise<Map<number, number>> {
  const from = timeBefore(context.time, INTEGRATION_FAILING.parameters.expiredHours * hourMs);
  const prefix = 'integration:';
  const subjects = ids.map((id) => `${prefix}${id}`);
  const expired = new Map<number, number>();
  for (const { subject, counters } of await countersSince(context, subjects, { interval: 'HOUR', from })) {
    const id = Number(subject.slice(prefix.length));
    if (counters['expired']) expired.set(id, (expired.get(id) ?? 0) + counters['expired']);
  }
  return expired;
}

export async function* keyConditions({
  query,
  kind,
  time: { now },
}: EvaluationContext): AsyncGenerator<FoundCondition> {
  const { days } = KEY_EXPIRES.parameters;
  const at = (ms: number) => new Date(ms).toISOString();
  const keys = await query
    .selectFrom('api_key')
    .leftJoin('application', 'application.id', 'api_key.application_id')
    .select([
      'api_key.id',
      'api_key.application_id',
      'api_key.organization_id',
      'application.organization_id as application_organization_id',
      msOf(kind, 'api_key.expires_at').$notNull().as('expires_ms'),
      msOf(kind, 'api_key.created_at').$notNull().as('created_ms'),
      msOf(kind, 'api_key.expiry_set_at').as('set_ms'),
    ])
    .where(sql<boolean>`api_key.expires_at > ${at(now)} and api_key.expires_at <= ${at(now + days * dayMs)}`)
    .execute();
  for (const { id: subjectID, application_id, expires_ms, created_ms, set_ms, ...owners } of keys)
    yield {
      condition: 'KEY_EXPIRES',
      subjectID,
      organizationID: owners.organization_id ?? owners.application_organization_id ?? installation.organizationID,
      applicationID: application_id,
      // A key may be given a shorter lifetime than that.
      since: Math.max(expires_ms - days * dayMs, set_ms ?? created_ms),
      value: expires_ms,
    };
}

/** Something that is wrong with the installation, as the part reports it that knows. */
export interface InstallationProblem {
  readonly condition: Extract<ConditionName, 'BACKUP_FAILED' | 'DISK_LOW' | 'HISTORY_FULL' | 'MAIL_FAILING'>;
  readonly since?: number;
  readonly value?: number;
  readonly text?: string;
}

export const installationConditions = (problems: readonly InstallationProblem[]): FoundCondition[] =>
  problems.map((problem) => ({ ...installation, ...problem }));
