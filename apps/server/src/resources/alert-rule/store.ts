import type { AlertRule, AlertRuleListItem, AlertValue } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import { channelsIn } from '../../alerts/channels.ts';
import type { AlertRuleTable } from '../../alerts/tables.ts';
import type { Database } from '../../database/database.ts';
import { alphabetical, inOrder, type Orders } from '../../database/order.ts';
import { countOf, type Page, readPage } from '../../database/page.ts';
import type { AlertScope } from '../../history/alert-changes.ts';
import { recordsOf } from '../records.ts';

export type AlertRuleRow = Selectable<AlertRuleTable>;

export const alertRules = recordsOf('alert_rule', 'alert rule');

const orders: Orders<'name'> = { by: { name: alphabetical('alert_rule.name') }, usual: 'name', key: 'alert_rule.id' };

/** A page of the rules of an organization by name, with what fires and waits. */
export async function listAlertRules(database: Database, organizationID: number, page: Page) {
  const matching = database.query.selectFrom('alert_rule').where('organization_id', '=', organizationID);
  const { totalCount, result: rows } = await readPage(
    page,
    () => countOf(matching),
    () => matching.selectAll().$call(inOrder(database.kind, orders)).limit(page.limit).offset(page.offset).execute(),
  );
  const ids = rows.map(({ id }) => id);
  const firing = await countByRule(database, 'alert', ids, ['FIRING']);
  const unsent = await countByRule(database, 'alert_message', ids, ['WAITING', 'FAILED']);
  const result = rows.map(
    (row): AlertRuleListItem => ({
      id: row.id,
      organizationID: String(row.organization_id),
      name: row.name,
      isEnabled: row.is_enabled,
      condition: row.condition,
      value: valueIn(row),
      forMinutes: row.for_minutes,
      channelKinds: [...new Set(channelsIn(row.channels).map(({ kind }) => kind))],
      firingCount: firing.get(row.id) ?? 0,
      unsentCount: unsent.get(row.id) ?? 0,
    }),
  );
  return { totalCount, result };
}

async function countByRule(
  { query }: Database,
  table: 'alert' | 'alert_message',
  ids: readonly string[],
  states: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .selectFrom(table as 'alert')
    .select((eb) => ['rule_id', eb.fn.countAll<number>().as('count')])
    .where('rule_id', 'in', ids)
    .where('state', 'in', states as 'FIRING'[])
    .groupBy('rule_id')
    .execute();
  return new Map(rows.map(({ rule_id, count }) => [rule_id, Number(count)]));
}

const valueIn = ({ value }: Pick<AlertRuleRow, 'value'>) => (value === null ? null : (JSON.parse(value) as AlertValue));

/** The columns that an update changes; channels and secrets are stored by the routes. */
export function toChanges(rule: AlertRule, now: Date) {
  const scope: AlertScope = {
    applicationIDs: rule.applicationIDs,
    deviceProfileIDs: rule.deviceProfileIDs,
    tags: rule.tags,
  };
  return {
    name: rule.name,
    is_enabled: rule.isEnabled,
    condition: rule.condition,
    value: rule.condition === 'VALUE' ? JSON.stringify(rule.value) : null,
    scope: JSON.stringify(scope),
    for_minutes: rule.forMinutes,
    repeat_hours: rule.repeatHours,
    updated_at: now,
  };
}

/** The reverse of `toChanges`; the routes add the channels. */
export function fromRow(row: AlertRuleRow): Omit<AlertRule, 'channels'> {
  return {
    id: row.id,
    organizationID: String(row.organization_id),
    name: row.name,
    isEnabled: row.is_enabled,
    condition: row.condition,
    value: valueIn(row),
    ...(JSON.parse(row.scope) as Pick<AlertRule, 'applicationIDs' | 'deviceProfileIDs' | 'tags'>),
    forMinutes: row.for_minutes,
    repeatHours: row.repeat_hours,
  };
}
