import type { AlertValue } from '@hilltop/contract';
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
import { sideOf } from './alert-value.ts';
import { fieldValuesOf } from './field-values.ts';

export interface ValueAlertsRequest {
  /** Values up to this position of the event log were compared. */
  readonly pos: number;
  /** No event can appear in the log at this position or below any more. */
  readonly upTo: number;
  readonly time: KnownTime;
}

export interface ValueAlerts extends AlertChanges {
  /** How far the log was read. */
  readonly pos: number;
  /** Whether there are rules on values at all. */
  readonly hasRules: boolean;
}

interface ValueRule {
  readonly id: string;
  readonly organizationID: number;
  readonly value: AlertValue;
  readonly scope: AlertScope;
  readonly forMs: number;
}

const rowsPerRead = 2000;
/** One call reads no more, so that others need not wait for it. */
const rowsPerCall = 20_000;
/** The types of events that have values. */
const types = ['up', 'status', 'error', 'join'];

/** Compares the values of new events with all rules on values, in one reading of the event log. */
export async function valueAlerts(
  query: Kysely<Tables>,
  { pos, upTo, time }: ValueAlertsRequest,
): Promise<ValueAlerts> {
  const rules = await readRules(query);
  if (rules.length === 0) return { ...noAlertChanges(), pos: upTo, hasRules: false };
  const comparison = await ValueComparison.open(query, rules);
  let reached = pos;
  for (let count = 0; reached < upTo && count < rowsPerCall; ) {
    const rows = await query
      .selectFrom('event')
      .select(['pos', 'at', 'seq', 'application_id', 'dev_eui', 'type', 'payload', 'note'])
      .where('pos', '>', reached)
      .where('pos', '<=', upTo)
      .orderBy('pos')
      .limit(rowsPerRead)
      .execute();
    await comparison.add(rows);
    reached = rows.length < rowsPerRead ? upTo : rows.at(-1)!.pos;
    count += rows.length;
  }
  return { ...(await comparison.finish(time)), pos: reached, hasRules: true };
}

async function readRules(query: Kysely<Tables>): Promise<ValueRule[]> {
  const rows = await query
    .selectFrom('alert_rule')
    .select(['id', 'organization_id', 'value', 'scope', 'for_minutes'])
    .where(sql<boolean>`is_enabled`)
    .where('condition', '=', 'VALUE')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    organizationID: row.organization_id,
    value: JSON.parse(row.value!) as AlertValue,
    scope: JSON.parse(row.scope) as AlertScope,
    forMs: row.for_minutes * 60_000,
  }));
}

interface EventOfLog {
  readonly at: number;
  readonly seq: number;
  readonly application_id: number;
  readonly dev_eui: string;
  readonly type: string;
  readonly payload: string;
  readonly note: string | null;
}

/** An alert as the comparison knows it; without an id it is new. */
interface Compared {
  readonly id: string | undefined;
  readonly rule: ValueRule;
  readonly devEUI: string;
  readonly applicationID: number;
  readonly since: number;
  readonly before: { readonly state: OpenAlert['state']; readonly uplinks: number } | undefined;
  state: OpenAlert['state'];
  uplinks: number;
  value: number;
}

class ValueComparison {
  readonly #query: Kysely<Tables>;
  /** The rules by application and field. */
  readonly #rules = new Map<number, Map<string, ValueRule[]>>();
  readonly #open = new Map<string, Compared>();
  readonly #countOf = new Map<string, number>();
  readonly #facts = new Map<string, AlertSubjectFacts>();
  readonly #changes = noAlertChanges();
  /** Alerts that began and ended meanwhile. */
  readonly #ended: Compared[] = [];

  private constructor(query: Kysely<Tables>) {
    this.#query = query;
  }

  static async open(query: Kysely<Tables>, rules: readonly ValueRule[]): Promise<ValueComparison> {
    const comparison = new ValueComparison(query);
    const byID = new Map(rules.map((rule) => [rule.id, rule]));
    for (const [organizationID, ofOrganization] of Map.groupBy(rules, (rule) => rule.organizationID)) {
      const applications = query.selectFrom('application').select('id').where('organization_id', '=', organizationID);
      for (const { id } of await applications.execute()) comparison.#addRules(id, ofOrganization);
    }
    for (const ids of chunks([...byID.keys()])) {
      const alerts = query.selectFrom('alert').select([...openAlertColumns, 'application_id']);
      const open = await alerts.where('rule_id', 'in', ids).where('state', '!=', 'RESOLVED').execute();
      for (const row of open) comparison.#addOpen(row as OpenAlert & { application_id: number }, byID);
    }
    return comparison;
  }

  #addRules(applicationID: number, rules: readonly ValueRule[]): void {
    const own = rules.filter(({ scope }) =>
      isInScope({ ...scope, deviceProfileIDs: [], tags: {} }, applicationID, undefined),
    );
    if (own.length > 0)
      this.#rules.set(
        applicationID,
        Map.groupBy(own, ({ value }) => value.field),
      );
  }

  #addOpen(row: OpenAlert & { application_id: number }, byID: ReadonlyMap<string, ValueRule>): void {
    const { id, rule_id, subject_id: devEUI, state, uplinks, since, application_id: applicationID } = row;
    const before = { state, uplinks };
    const alert = { id, rule: byID.get(rule_id)!, devEUI, applicationID, since, before, state, uplinks, value: 0 };
    this.#open.set(`${rule_id} ${devEUI}`, alert);
    this.#countOf.set(rule_id, (this.#countOf.get(rule_id) ?? 0) + 1);
  }

  async add(events: readonly EventOfLog[]): Promise<void> {
    const watched = events.filter(
      ({ application_id, type }) => this.#rules.has(application_id) && types.includes(type),
    );
    const compared = watched.map((event) => ({ event, values: this.#valuesOf(event) }));
    const needing = compared.filter(({ values }) => values.some(({ rule }) => needsFacts(rule.scope)));
    await readFacts(
      this.#query,
      'DEVICE',
      needing.map(({ event }) => event.dev_eui),
      this.#facts,
    );
    for (const { event, values } of compared) for (const { rule, value } of values) this.#compare(rule, event, value);
  }

  #valuesOf(event: EventOfLog): { rule: ValueRule; value: number }[] {
    const rules = this.#rules.get(event.application_id)!;
    return fieldValuesOf(event).flatMap(({ field, value }) =>
      (rules.get(field) ?? []).map((rule) => ({ rule, value })),
    );
  }

  #compare(rule: ValueRule, { dev_eui: devEUI, application_id: applicationID, at }: EventOfLog, value: number): void {
    if (needsFacts(rule.scope) && !isInScope(rule.scope, applicationID, this.#facts.get(devEUI))) return;
    const key = `${rule.id} ${devEUI}`;
    const side = sideOf(rule.value, value);
    const open = this.#open.get(key);
    if (side === 'wrong') {
      const alert = open ?? this.#begin(key, { rule, devEUI, applicationID, since: at, value });
      if (!alert || alert.state !== 'PENDING') return;
      alert.uplinks = Math.min(alert.uplinks + 1, Math.max(1, rule.value.uplinks));
      alert.value = value;
      if (rule.value.uplinks > 0 && alert.uplinks >= rule.value.uplinks) alert.state = 'FIRING';
    } else if (open?.state === 'PENDING') this.#end(key, open);
    else if (open && side === 'right') this.#end(key, open);
  }

  #begin(key: string, given: Pick<Compared, 'rule' | 'devEUI' | 'applicationID' | 'since' | 'value'>) {
    const count = this.#countOf.get(given.rule.id) ?? 0;
    if (count >= mostOpenAlerts) {
      this.#changes.omitted += 1;
      return undefined;
    }
    const alert: Compared = { ...given, id: undefined, before: undefined, state: 'PENDING', uplinks: 0 };
    this.#open.set(key, alert);
    this.#countOf.set(given.rule.id, count + 1);
    return alert;
  }

  #end(key: string, alert: Compared): void {
    this.#open.delete(key);
    this.#countOf.set(alert.rule.id, this.#countOf.get(alert.rule.id)! - 1);
    const { id, before, state } = alert;
    if (state === 'PENDING') {
      if (id !== undefined) this.#changes.dropped.push(id);
    } else if (id === undefined) this.#ended.push(alert);
    else {
      if (before?.state === 'PENDING') this.#changes.fired.push({ id, value: alert.value });
      this.#changes.resolved.push({ id, wasNotified: true });
    }
  }

  async finish(time: KnownTime): Promise<AlertChanges> {
    const opened: Compared[] = [];
    for (const alert of this.#open.values()) {
      const { id, before, rule } = alert;
      if (alert.state === 'PENDING' && rule.value.uplinks === 0 && elapsedSince(time, alert.since).ms >= rule.forMs)
        alert.state = 'FIRING';
      if (id === undefined) opened.push(alert);
      else if (before!.state === 'PENDING' && alert.state === 'FIRING')
        this.#changes.fired.push({ id, ...(alert.uplinks > before!.uplinks && { value: alert.value }) });
      else if (alert.uplinks !== before!.uplinks) this.#changes.counted.push({ id, uplinks: alert.uplinks });
    }
    const all = [
      ...this.#ended.map((alert) => [alert, true] as const),
      ...opened.map((alert) => [alert, false] as const),
    ];
    await readFacts(
      this.#query,
      'DEVICE',
      all.map(([{ devEUI }]) => devEUI),
      this.#facts,
    );
    for (const [{ rule, devEUI, applicationID, state, since, uplinks, value }, isEnded] of all) {
      const device = this.#facts.get(devEUI);
      if (!device) continue;
      this.#changes.opened.push({
        ruleID: rule.id,
        organizationID: rule.organizationID,
        subjectKind: 'DEVICE',
        subjectID: devEUI,
        subjectName: device.name,
        applicationID,
        state: isEnded ? 'RESOLVED' : (state as 'PENDING' | 'FIRING'),
        since,
        uplinks,
        value,
      });
    }
    return this.#changes;
  }
}

function* chunks<T>(items: readonly T[], size = 500): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
