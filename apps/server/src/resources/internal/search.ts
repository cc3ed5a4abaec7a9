import type { GlobalSearchResult } from '@hilltop/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseKind } from '../../database/database.ts';
import { type Page, searchPattern } from '../../database/page.ts';
import { hasTag } from '../../database/tags.ts';
import { similarity } from './similarity.ts';

/** More rows of one kind than this are not looked at: nobody pages that far through a search. */
const mostPerKind = 200;

export interface Search extends Page {
  search: string;
  /** Undefined for all. */
  organizationIDs: readonly number[] | undefined;
}

type Found = Partial<GlobalSearchResult> & { kind: string; matched: string[] };

/** Organizations, applications, gateways and devices by name, identifier or tags (`key:value`), most alike first. */
export async function searchEverything(database: Database, search: Search): Promise<GlobalSearchResult[]> {
  const found = (
    await Promise.all([organizations, applications, gateways, devices].map((find) => find(database, search)))
  ).flat();
  const scored = found.map(({ matched, ...row }) => ({
    ...blank,
    ...row,
    score: Math.max(...matched.map((text) => similarity(search.search, text))),
  }));
  scored.sort((one, other) => other.score - one.score);
  return scored.slice(search.offset, search.offset + search.limit);
}

const blank: Omit<GlobalSearchResult, 'kind' | 'score'> = {
  organizationID: '0',
  organizationName: '',
  applicationID: '0',
  applicationName: '',
  deviceDevEUI: '',
  deviceName: '',
  gatewayMAC: '',
  gatewayName: '',
};

async function organizations({ query }: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const rows = await query
    .selectFrom('organization')
    .select(['id', 'name'])
    .where((eb) => eb(eb.fn<string>('lower', ['name']), 'like', searchPattern(search)))
    .$if(organizationIDs !== undefined, (of) => of.where('id', 'in', organizationIDs!))
    .limit(mostPerKind)
    .execute();
  return rows.map((row) => ({ kind: 'organization', ...organizationOf(row.id, row.name), matched: [row.name] }));
}

async function applications({ query }: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const rows = await query
    .selectFrom('application')
    .innerJoin('organization', 'organization.id', 'application.organization_id')
    .select(['application.id', 'application.name', 'organization_id', 'organization.name as organization_name'])
    .where('application.search_text', 'like', searchPattern(search))
    .$if(organizationIDs !== undefined, (of) => of.where('organization_id', 'in', organizationIDs!))
    .limit(mostPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'application',
    ...organizationOf(row.organization_id, row.organization_name),
    applicationID: String(row.id),
    applicationName: row.name,
    matched: [row.name],
  }));
}

async function gateways({ query, kind }: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const rows = await query
    .selectFrom('gateway')
    .innerJoin('organization', 'organization.id', 'gateway.organization_id')
    .select(['gateway.id', 'gateway.name', 'organization_id', 'organization.name as organization_name'])
    .where(matches(kind, 'gateway', search))
    .$if(organizationIDs !== undefined, (of) => of.where('organization_id', 'in', organizationIDs!))
    .limit(mostPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'gateway',
    ...organizationOf(row.organization_id, row.organization_name),
    gatewayMAC: row.id,
    gatewayName: row.name,
    matched: [row.name, row.id],
  }));
}

async function devices({ query, kind }: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .innerJoin('organization', 'organization.id', 'application.organization_id')
    .select(['dev_eui', 'device.name', 'dev_addr', 'application_id', 'application.name as application_name'])
    .select(['organization_id', 'organization.name as organization_name'])
    .where((eb) => eb.or([matches(kind, 'device', search), eb('dev_addr', 'like', searchPattern(search))]))
    .$if(organizationIDs !== undefined, (of) => of.where('organization_id', 'in', organizationIDs!))
    .limit(mostPerKind)
    .execute();
  return rows.map((row) => ({
    kind: 'device',
    ...organizationOf(row.organization_id, row.organization_name),
    applicationID: String(row.application_id),
    applicationName: row.application_name,
    deviceDevEUI: row.dev_eui,
    deviceName: row.name,
    matched: [row.name, row.dev_eui, row.dev_addr],
  }));
}

function organizationOf(id: number, name: string) {
  return { organizationID: String(id), organizationName: name };
}

/** The whole text is in the name or identifier, or the tags hold every `key:value` of it. */
function matches(kind: DatabaseKind, table: 'gateway' | 'device', search: string): RawBuilder<boolean> {
  const byText = sql<boolean>`${sql.ref(`${table}.search_text`)} like ${searchPattern(search)}`;
  const pairs = [...search.matchAll(/([^\s:]+):(\S+)/g)];
  if (pairs.length === 0) return byText;
  const byTags = pairs.map(([, key = '', value = '']) => hasTag(kind, `${table}.tags`, key, value));
  return sql<boolean>`(${byText} or (${sql.join(byTags, sql` and `)}))`;
}
