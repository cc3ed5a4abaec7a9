import { randomUUID } from 'node:crypto';
import { alertRepeatChoices } from '@hilltop/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { elapsedSince, type KnownTime, timeBefore } from '../database/elapsed-time.ts';
import type { Tables } from '../database/tables.ts';
import type { AlertChanges, NewAlert } from '../history/alert-changes.ts';

/** Rows of one transaction: other writes wait for it. */
const slice = 200;
const hourMs = 3_600_000;
/** Times of messages from before the clock was set back that one evaluation judges. */
const mostTimesAhead = 500;

type Query = Kysely<Tables>;
type Write<Item> = (query: Query, items: readonly Item[], now: number) => Promise<unknown>;

/** Writes what an evaluation found, in slices. An alert that was acknowledged or reset meanwhile stays as it is. */
export async function writeChanges(database: Database, changes: AlertChanges, now: number): Promise<void> {
  const { opened, fired, counted, cleared, resolved, dropped } = changes;
  await inSlices(database, opened, insertAlerts, now);
  await inSlices(database, fired, fire, now);
  await inSlices(database, counted, writeCounts, now);
  await inSlices(database, cleared, clear, now);
  await inSlices(database, resolved, resolve, now);
  await inSlices(database, dropped, drop, now);
}

async function inSlices<Item>(database: Database, items: readonly Item[], write: Write<Item>, now: number) {
  for (let from = 0; from < items.length; from += slice)
    await database.transaction(() => write(database.query, items.slice(from, from + slice), now));
}

/** Rules may have been deleted, or the alert opened by an instance that had the lease before. */
async function insertAlerts(query: Query, alerts: readonly NewAlert[], now: number) {
  const ids = [...new Set(alerts.map(({ ruleID }) => ruleID))];
  const rules = await query.selectFrom('alert_rule').select('id').where('id', 'in', ids).execute();
  const existing = new Set(rules.map(({ id }) => id));
  const rows = alerts
    .filter(({ ruleID }) => existing.has(ruleID))
    .map(({ state, ...alert }) => ({
      id: randomUUID(),
      rule_id: alert.ruleID,
      organization_id: alert.organizationID,
      subject_kind: alert.subjectKind,
      subject_id: alert.subjectID,
      subject_name: alert.subjectName,
      application_id: alert.applicationID,
      state,
      since: alert.since,
      uplinks: alert.uplinks,
      value: alert.value,
      fired_at: state === 'PENDING' ? null : now,
      cleared_at: null,
      acknowledged_at: null,
      resolved_at: state === 'RESOLVED' ? now : null,
      unsent: state === 'PENDING' ? ('' as const) : state,
      notified_at: null,
    }));
  if (rows.length === 0) return;
  await query
    .insertInto('alert')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute();
}

async function fire(query: Query, alerts: Readonly<AlertChanges['fired']>, now: number) {
  const unsent = 'FIRING' as const;
  for (const { id, value } of alerts)
    await query
      .updateTable('alert')
      .set({ state: 'FIRING', fired_at: now, unsent, ...(value !== undefined && { value }) })
      .where('id', '=', id)
      .where('state', '=', 'PENDING')
      .execute();
}

async function writeCounts(query: Query, alerts: Readonly<AlertChanges['counted']>) {
  for (const { id, uplinks } of alerts)
    await query.updateTable('alert').set({ uplinks }).where('id', '=', id).where('state', '=', 'PENDING').execute();
}

async function clear(query: Query, alerts: Readonly<AlertChanges['cleared']>) {
  for (const [at, some] of Map.groupBy(alerts, (alert) => alert.at))
    await query
      .updateTable('alert')
      .set({ cleared_at: at })
      .where(
        'id',
        'in',
        some.map(({ id }) => id),
      )
      .execute();
}

async function resolve(query: Query, alerts: Readonly<AlertChanges['resolved']>, now: number) {
  for (const [wasNotified, some] of Map.groupBy(alerts, (alert) => alert.wasNotified))
    await query
      .updateTable('alert')
      .set({ state: 'RESOLVED', resolved_at: now, cleared_at: null, unsent: wasNotified ? 'RESOLVED' : '' })
      .where(
        'id',
        'in',
        some.map(({ id }) => id),
      )
      .where('state', 'in', ['FIRING', 'ACKNOWLEDGED'])
      .execute();
}

async function drop(query: Query, ids: readonly string[]) {
  await query.deleteFrom('alert').where('id', 'in', ids).where('state', '=', 'PENDING').execute();
}

/** The alerts of a rule begin anew: those that fired stay in the history. */
export async function resetAlerts(query: Query, ruleID: string, now: number): Promise<void> {
  await query.deleteFrom('alert').where('rule_id', '=', ruleID).where('state', '=', 'PENDING').execute();
  await query
    .updateTable('alert')
    .set({ state: 'RESOLVED', resolved_at: now, cleared_at: null, unsent: '' })
    .where('rule_id', '=', ruleID)
    .where('state', 'in', ['FIRING', 'ACKNOWLEDGED'])
    .execute();
}

/** Alerts that fire are sent again after the hours of their rule, until they are acknowledged. */
export async function repeatAlerts({ query }: Database, time: KnownTime): Promise<void> {
  const ahead = await query
    .selectFrom('alert')
    .select('notified_at')
    .distinct()
    .where('state', '=', 'FIRING')
    .where('unsent', '=', '')
    .where('notified_at', '>', time.now)
    .orderBy('notified_at')
    .limit(mostTimesAhead)
    .execute();
  for (const { value: hours } of alertRepeatChoices.filter(({ value }) => value > 0)) {
    const due = ahead.flatMap(({ notified_at: at }) => (elapsedSince(time, at!).ms >= hours * hourMs ? [at] : []));
    await query
      .updateTable('alert')
      .set({ unsent: 'FIRING' })
      .where('state', '=', 'FIRING')
      .where('unsent', '=', '')
      .where('cleared_at', 'is', null)
      .where((eb) =>
        eb.or([
          eb('notified_at', '<=', timeBefore(time, hours * hourMs)),
          ...(due.length > 0 ? [eb('notified_at', 'in', due)] : []),
        ]),
      )
      .where('rule_id', 'in', (eb) => eb.selectFrom('alert_rule').select('id').where('repeat_hours', '=', hours))
      .execute();
  }
}
