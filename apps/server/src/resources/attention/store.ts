import {
  type AttentionCount,
  type AttentionItem,
  type ConditionName,
  conditionNames,
  conditionOf,
  notFound,
} from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import type { ConditionDetail, ConditionTable } from '../../conditions/tables.ts';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';

export interface AttentionFilter {
  /** Undefined: all organizations, and the installation. */
  organizationID: number | undefined;
  /** Empty: all, here and below. */
  condition: string;
  subjectID: string;
  includeSnoozed: boolean;
  /** Rows of each condition. */
  limit: number;
  offset: number;
}

type ConditionRow = Selectable<ConditionTable>;

function openConditions({ query }: Database, organizationID: number | undefined) {
  const rows = query.selectFrom('condition');
  return organizationID === undefined ? rows : rows.where('organization_id', '=', organizationID);
}

/** The last evaluation. */
export async function lastEvaluation({ query }: Database) {
  const row = await query.selectFrom('condition_evaluation').select(['at', 'omitted']).executeTakeFirst();
  return {
    at: row?.at,
    omitted: JSON.parse(row?.omitted ?? '{}') as Partial<Record<ConditionName, Record<string, number>>>,
  };
}

/** The worst condition first. */
export async function countConditions(
  database: Database,
  organizationID: number | undefined,
  now: number,
): Promise<AttentionCount[]> {
  const { omitted } = await lastEvaluation(database);
  const rows = await openConditions(database, organizationID)
    .select((eb) => [
      'condition',
      eb.fn.countAll<number>().as('all'),
      sql<number>`count(case when snoozed_until > ${now} then 1 end)`.as('snoozed'),
      eb.fn.min('since').as('since'),
    ])
    .groupBy('condition')
    .execute();
  const byName = new Map(rows.map((row) => [row.condition, row]));
  return conditionNames.flatMap((condition) => {
    const row = byName.get(condition);
    if (!row) return [];
    const others = Object.entries(omitted[condition] ?? {}).filter(
      ([id]) => organizationID === undefined || Number(id) === organizationID,
    );
    const left = others.reduce((sum, [, count]) => sum + count, 0);
    const [all, snoozed] = [Number(row.all), Number(row.snoozed)];
    return { condition, count: all - snoozed + left, snoozed, omitted: left, since: iso(row.since) };
  });
}

/** How many count as needing attention. */
export const attentionCountOf = (counts: readonly AttentionCount[]): number =>
  counts.reduce((sum, { condition, count }) => (conditionOf(condition).severity === 'note' ? sum : sum + count), 0);

/** The first rows of each condition. */
export async function listConditions(
  database: Database,
  { organizationID, condition, subjectID, includeSnoozed, limit, offset }: AttentionFilter,
  { conditions, now }: { conditions: readonly ConditionName[]; now: number },
): Promise<AttentionItem[]> {
  if (limit === 0) return [];
  const rows: ConditionRow[] = [];
  for (const name of conditions) {
    if (condition !== '' && condition !== name) continue;
    rows.push(
      ...(await openConditions(database, organizationID)
        .selectAll()
        .where('condition', '=', name)
        .$if(subjectID !== '', (all) => all.where('subject_id', '=', subjectID))
        .$if(!includeSnoozed, (all) => all.where(sql<boolean>`coalesce(snoozed_until, 0) <= ${now}`))
        .orderBy('rank')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute()),
    );
  }
  return itemsOf(database, rows);
}

/** Without those whose subject was deleted since the last evaluation. */
async function itemsOf(database: Database, rows: readonly ConditionRow[]): Promise<AttentionItem[]> {
  if (rows.length === 0) return [];
  const names = await namesOf(database, rows);
  const organizations = await database.query
    .selectFrom('organization')
    .select(['id', 'display_name'])
    .where(isInList(database.kind, 'id', [...new Set(rows.map(({ organization_id }) => organization_id))]))
    .execute();
  const organizationNames = new Map(organizations.map(({ id, display_name }) => [id, display_name]));
  return rows.flatMap((row) => {
    const known = names.get(`${row.subject_kind} ${row.subject_id}`);
    if (!known) return [];
    const { value = 0, text = '' } = JSON.parse(row.detail) as ConditionDetail;
    return {
      id: row.id,
      condition: row.condition,
      subjectKind: row.subject_kind,
      subjectID: row.subject_id,
      name: known.name,
      integrationKind: known.kind ?? '',
      organizationID: String(row.organization_id),
      organizationName: organizationNames.get(row.organization_id) ?? '',
      applicationID: String(row.application_id ?? 0),
      since: iso(row.since),
      value,
      text,
      snoozedUntil: row.snoozed_until === null ? null : iso(row.snoozed_until),
    };
  });
}

interface SubjectName {
  name: string;
  kind?: string;
}

/** By kind and id. */
async function namesOf(
  { query, kind }: Database,
  rows: readonly ConditionRow[],
): Promise<ReadonlyMap<string, SubjectName>> {
  const names = new Map<string, SubjectName>([['INSTALLATION installation', { name: '' }]]);
  const idsOf = (subject: ConditionRow['subject_kind']) =>
    rows.flatMap(({ subject_kind, subject_id }) => (subject_kind === subject ? [subject_id] : []));
  const [devices, gateways, integrations, keys] = [
    idsOf('DEVICE'),
    idsOf('GATEWAY'),
    idsOf('INTEGRATION').map(Number),
    idsOf('API_KEY'),
  ];
  if (devices.length > 0)
    for (const { dev_eui, name } of await query
      .selectFrom('device')
      .select(['dev_eui', 'name'])
      .where(isInList(kind, 'dev_eui', devices))
      .execute())
      names.set(`DEVICE ${dev_eui}`, { name });
  if (gateways.length > 0)
    for (const { id, name } of await query
      .selectFrom('gateway')
      .select(['id', 'name'])
      .where(isInList(kind, 'id', gateways))
      .execute())
      names.set(`GATEWAY ${id}`, { name });
  if (integrations.length > 0)
    for (const one of await query
      .selectFrom('integration')
      .leftJoin('application', 'application.id', 'integration.application_id')
      .select(['integration.id', 'integration.kind', 'application.name'])
      .where(isInList(kind, 'integration.id', integrations))
      .execute())
      names.set(`INTEGRATION ${one.id}`, { name: one.name ?? '', kind: one.kind });
  if (keys.length > 0)
    for (const { id, name } of await query
      .selectFrom('api_key')
      .select(['id', 'name'])
      .where(isInList(kind, 'id', keys))
      .execute())
      names.set(`API_KEY ${id}`, { name });
  return names;
}

/** How many devices and gateways there are. */
export async function countSubjects({ query }: Database, organizationID: number | undefined) {
  const row = await query
    .selectFrom('organization')
    .select(({ fn }) => [
      fn.sum<number | null>('device_count').as('devices'),
      fn.sum<number | null>('gateway_count').as('gateways'),
    ])
    .$if(organizationID !== undefined, (rows) => rows.where('id', '=', organizationID!))
    .executeTakeFirstOrThrow();
  return { deviceCount: Number(row.devices ?? 0), gatewayCount: Number(row.gateways ?? 0) };
}

/** Milliseconds since 1970, or null to show the condition again. */
export async function snoozeCondition({ query }: Database, id: string, until: number | null): Promise<void> {
  const { numUpdatedRows } = await query
    .updateTable('condition')
    .set({ snoozed_until: until })
    .where('id', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('condition', id);
}

const iso = (ms: number): string => new Date(ms).toISOString();
