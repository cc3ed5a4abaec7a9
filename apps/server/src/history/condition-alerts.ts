import type { AlertConditionName, AlertSubjectKind, ConditionName } from '@hilltop/contract';
import { type Kysely, sql } from 'kysely';
import { elapsedSince, type KnownTime } from '../database/elapsed-time.ts';
import type { Tables } from '../database/tables.ts';
import {
  type AlertChanges,
  type AlertScope,
  type AlertSubjectFacts,
  isInScope,
  mostOpenAlerts,
  needsFacts,
  noAlertChanges,
  type OpenAlert,
  openAlertColumns,
  readFacts,
} from './alert-changes.ts';

export interface ConditionAlertsRequest {
  readonly time: KnownTime;
  /** False for some minutes after a start: what was wrong before is evaluated first. */
  readonly mayFire: boolean;
  /** How long a condition stays away before its alert resolves: one that comes and goes is one alert. */
  readonly settleMs: number;
}

interface EvaluatedRule {
  readonly id: string;
  readonly organizationID: number;
  readonly condition: AlertConditionName;
  readonly scope: AlertScope;
  readonly forMs: number;
}

/** Compares the open conditions with the alerts of all rules: what is open and in scope has an alert, nothing else has. */
export async function conditionAlerts(query: Kysely<Tables>, request: ConditionAlertsRequest): Promise<AlertChanges> {
  const rows = await query
    .selectFrom('alert_rule')
    .select(['id', 'organization_id', 'condition', 'scope', 'for_minutes'])
    .where(sql<boolean>`is_enabled`)
    .execute();
  const rules = rows.map((row) => ({
    id: row.id,
    organizationID: row.organization_id,
    condition: row.condition,
    scope: JSON.parse(row.scope) as AlertScope,
    forMs: row.for_minutes * 60_000,
  }));
  const changes = noAlertChanges();
  for (const [organizationID, ofOrganization] of Map.groupBy(rules, (rule) => rule.organizationID))
    await new OrganizationAlerts(query, organizationID, request, changes).evaluate(ofOrganization);
  return changes;
}

interface OpenCondition {
  readonly subject_kind: AlertSubjectKind;
  readonly subject_id: string;
  readonly application_id: number | null;
  readonly since: number;
}

const keyOf = ({ subject_kind, subject_id }: Pick<OpenAlert, 'subject_kind' | 'subject_id'>) =>
  `${subject_kind} ${subject_id}`;

/** The alerts of one organization. */
class OrganizationAlerts {
  readonly #query: Kysely<Tables>;
  readonly #organizationID: number;
  readonly #request: ConditionAlertsRequest;
  readonly #changes: AlertChanges;
  readonly #facts: Record<AlertSubjectKind, Map<string, AlertSubjectFacts>> = {
    DEVICE: new Map(),
    GATEWAY: new Map(),
    INTEGRATION: new Map(),
    API_KEY: new Map(),
  };

  constructor(query: Kysely<Tables>, organizationID: number, request: ConditionAlertsRequest, changes: AlertChanges) {
    this.#query = query;
    this.#organizationID = organizationID;
    this.#request = request;
    this.#changes = changes;
  }

  async evaluate(rules: readonly EvaluatedRule[]): Promise<void> {
    const conditions = await this.#conditions(rules);
    const open = Map.groupBy(await this.#openAlerts(), ({ rule_id }) => rule_id);
    for (const rule of rules) {
      const alerts = open.get(rule.id) ?? [];
      if (rule.condition === 'VALUE') await this.#resolveLost(rule, alerts);
      else await this.#compare(rule, conditions.get(rule.condition) ?? [], alerts);
    }
  }

  async #conditions(rules: readonly EvaluatedRule[]): Promise<Map<AlertConditionName, OpenCondition[]>> {
    const names = [...new Set(rules.map(({ condition }) => condition))].filter((name) => name !== 'VALUE');
    const { now } = this.#request.time;
    if (names.length === 0) return new Map();
    const rows = await this.#query
      .selectFrom('condition')
      .select(['condition', 'subject_kind', 'subject_id', 'application_id', 'since'])
      .where('organization_id', '=', this.#organizationID)
      .where('condition', 'in', names as ConditionName[])
      .where((eb) => eb.or([eb('snoozed_until', 'is', null), eb('snoozed_until', '<=', now)]))
      .orderBy('rank')
      .execute();
    return Map.groupBy(rows as (OpenCondition & { condition: AlertConditionName })[], ({ condition }) => condition);
  }

  #openAlerts(): Promise<OpenAlert[]> {
    return this.#query
      .selectFrom('alert')
      .select(openAlertColumns)
      .where('organization_id', '=', this.#organizationID)
      .where('state', 'in', ['PENDING', 'FIRING', 'ACKNOWLEDGED'])
      .execute() as Promise<OpenAlert[]>;
  }

  async #factsOf(kind: AlertSubjectKind, ids: readonly string[]): Promise<Map<string, AlertSubjectFacts>> {
    return readFacts(this.#query, kind, ids, this.#facts[kind]);
  }

  async #inScope(rule: EvaluatedRule, rows: readonly OpenCondition[]): Promise<Map<string, OpenCondition>> {
    const kind = rows[0]?.subject_kind;
    const found = new Map<string, OpenCondition>();
    if (!kind) return found;
    const ids = rows.map(({ subject_id }) => subject_id);
    const facts = needsFacts(rule.scope) ? await this.#factsOf(kind, ids) : undefined;
    for (const row of rows)
      if (isInScope(rule.scope, row.application_id, facts?.get(row.subject_id))) found.set(keyOf(row), row);
    return found;
  }

  async #compare(rule: EvaluatedRule, rows: readonly OpenCondition[], alerts: readonly OpenAlert[]): Promise<void> {
    const { time, mayFire, settleMs } = this.#request;
    const changes = this.#changes;
    const matching = await this.#inScope(rule, rows);
    const isDue = (since: number) => mayFire && elapsedSince(time, since).ms >= rule.forMs;
    for (const { id, state, cleared_at, ...subject } of alerts) {
      const condition = matching.get(keyOf(subject));
      matching.delete(keyOf(subject));
      if (condition) {
        if (cleared_at !== null) changes.cleared.push({ id, at: null });
        if (state === 'PENDING' && isDue(condition.since)) changes.fired.push({ id });
      } else if (state === 'PENDING') changes.dropped.push(id);
      else if (cleared_at === null) changes.cleared.push({ id, at: time.now });
      else if (elapsedSince(time, cleared_at).ms >= settleMs) changes.resolved.push({ id, wasNotified: true });
    }
    const room = Math.max(0, mostOpenAlerts - alerts.length);
    changes.omitted += Math.max(0, matching.size - room);
    await this.#open(rule, [...matching.values()].slice(0, room), isDue);
  }

  async #open(rule: EvaluatedRule, rows: readonly OpenCondition[], isDue: (since: number) => boolean): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const ids = rows.map(({ subject_id }) => subject_id);
    const facts = await this.#factsOf(first.subject_kind, ids);
    for (const { subject_kind, subject_id, application_id, since } of rows)
      this.#changes.opened.push({
        ruleID: rule.id,
        organizationID: this.#organizationID,
        subjectKind: subject_kind,
        subjectID: subject_id,
        subjectName: facts.get(subject_id)?.name ?? '',
        applicationID: application_id,
        state: isDue(since) ? 'FIRING' : 'PENDING',
        since,
        uplinks: 0,
        value: null,
      });
  }

  /** Devices that were deleted, moved or lost a tag send no value that would end their alert. */
  async #resolveLost(rule: EvaluatedRule, alerts: readonly OpenAlert[]): Promise<void> {
    const ids = alerts.map(({ subject_id }) => subject_id);
    const facts = await this.#factsOf('DEVICE', ids);
    for (const { id, subject_id, state } of alerts) {
      const device = facts.get(subject_id);
      const isKept =
        device?.organizationID === this.#organizationID && isInScope(rule.scope, device.applicationID, device);
      if (isKept) continue;
      if (state === 'PENDING') this.#changes.dropped.push(id);
      else this.#changes.resolved.push({ id, wasNotified: false });
    }
  }
}
