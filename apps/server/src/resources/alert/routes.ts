import { type Alert, notFound, type Operations, refusal } from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import { confirmAddress } from '../../alerts/receivers.ts';
import type { AlertTable } from '../../alerts/tables.ts';
import { readSubscription, subscriptionOf, unsubscribe } from '../../alerts/unsubscribing.ts';
import type { Database } from '../../database/database.ts';
import { countOf, readPage } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import { nameOf } from '../../identity/name-of.ts';
import type { Secrets } from '../../secrets.ts';

interface AlertRoutesDependencies {
  database: Database;
  clock: { now: () => Date };
}

/** Those that fire first, then acknowledged and pending ones. */
const order = sql`case alert.state when 'FIRING' then 0 when 'ACKNOWLEDGED' then 1 when 'PENDING' then 2 else 3 end`;

export function alertRoutes({ database, clock }: AlertRoutesDependencies): Handlers<Operations['alert']> {
  return {
    list: async ({ organizationID, state, ruleID, subjectID, ...page }) => {
      const ofOrganization = database.query
        .selectFrom('alert')
        .where('alert.organization_id', '=', toID(organizationID, 'organization'));
      const matching = ofOrganization
        .$if(state !== '', (rows) => rows.where('alert.state', '=', state as Alert['state']))
        .$if(ruleID !== '', (rows) => rows.where('alert.rule_id', '=', ruleID))
        .$if(subjectID !== '', (rows) => rows.where('alert.subject_id', '=', subjectID));
      const found = await readPage(
        page,
        () => countOf(matching),
        () =>
          matching
            .innerJoin('alert_rule', 'alert_rule.id', 'alert.rule_id')
            .selectAll('alert')
            .select(['alert_rule.name as rule_name', 'alert_rule.condition'])
            .orderBy(order)
            .orderBy('alert.since', 'desc')
            .orderBy('alert.id')
            .limit(page.limit)
            .offset(page.offset)
            .execute(),
      );
      const firingCount = await countOf(ofOrganization.where('alert.state', '=', 'FIRING'));
      return { ...found, firingCount, result: found.result.map(toAlert) };
    },

    acknowledge: async ({ id, note }, { principal }) => {
      // That of the transaction which also writes the audit log.
      const { query } = database;
      const { numUpdatedRows } = await query
        .updateTable('alert')
        .set({
          state: 'ACKNOWLEDGED',
          acknowledged_at: clock.now().getTime(),
          acknowledged_by: nameOf(principal),
          note,
          unsent: '',
        })
        .where('id', '=', id)
        .where('state', '=', 'FIRING')
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) return {};
      const row = await query.selectFrom('alert').select('state').where('id', '=', id).executeTakeFirst();
      if (!row) throw notFound('alert', id);
      throw refusal('ALERT_NOT_FIRING');
    },
  };
}

export function alertReceiverRoutes({
  database,
  clock,
  secrets,
}: AlertRoutesDependencies & { secrets: Secrets }): Handlers<Operations['alertReceiver']> {
  return {
    confirm: ({ token }) => database.transaction(() => confirmAddress(database, token, clock.now().getTime())),
    getSubscription: ({ token }) => readSubscription(database, subscriptionOf(secrets, token)),
    unsubscribe: ({ token, from }) => {
      const subscription = subscriptionOf(secrets, token);
      return database.transaction(() => unsubscribe(database, subscription, from, clock.now().getTime()));
    },
  };
}

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function toAlert(row: Selectable<AlertTable> & { rule_name: string; condition: Alert['condition'] }): Alert {
  return {
    id: row.id,
    ruleID: row.rule_id,
    ruleName: row.rule_name,
    condition: row.condition,
    subjectKind: row.subject_kind,
    subjectID: row.subject_id,
    subjectName: row.subject_name,
    applicationID: String(row.application_id ?? 0),
    state: row.state,
    since: timeOf(row.since),
    firedAt: timeOf(row.fired_at),
    acknowledgedAt: timeOf(row.acknowledged_at),
    acknowledgedBy: row.acknowledged_by,
    note: row.note,
    resolvedAt: timeOf(row.resolved_at),
    value: row.value === null ? null : { value: row.value },
  };
}
