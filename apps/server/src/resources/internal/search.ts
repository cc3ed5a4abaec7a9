import type { GlobalSearchResult } from '@hilltop/contract';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Page } from '../../database/page.ts';
import { beside, holdsText, holdsTextOrTags, isNamed, type TextMatch } from '../../database/search.ts';
import type { Tables } from '../../database/tables.ts';
import { similarTo } from './similarity.ts';

/** More rows of one kind than this are not looked at: nobody pages that far through a search. */
const mostPerKind = 200;

export interface Search extends Page {
  search: string;
  /** Undefined for all. */
  organizationIDs: readonly number[] | undefined;
}

interface Found {
  /** Texts of the row by which it is judged how alike it is, its name first. */
  matched: [name: string, ...identifiers: string[]];
  /** Called only for the rows that are answered. */
  tell: () => Partial<GlobalSearchResult> & { kind: string };
}

/** Organizations, applications, gateways and devices by name, identifier or tags (`key:value`), most alike first and equally alike ones by name. */
export async function searchEverything(database: Database, search: Search): Promise<GlobalSearchResult[]> {
  const found = (
    await Promise.all([organizations, applications, gateways, devices].map((find) => find(database, search)))
  ).flat();
  const alike = similarTo(search.search);
  const scored = found.map(({ matched, tell }) => ({ matched, tell, score: Math.max(...matched.map(alike)) }));
  return firstOf(
    scored,
    search.offset + search.limit,
    (one, other) => other.score - one.score || byName.compare(one.matched[0], other.matched[0]),
  )
    .slice(search.offset)
    .map(({ tell, score }) => ({ ...blank, ...tell(), score }));
}

/** As many as are wanted, in order: comparing hundreds of names by their language takes longer than finding them. */
function firstOf<One>(all: readonly One[], wanted: number, compare: (one: One, other: One) => number): One[] {
  const first: One[] = [];
  for (const one of all) {
    if (first.length >= wanted && (wanted === 0 || compare(one, first.at(-1)!) >= 0)) continue;
    let [low, high] = [0, first.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(one, first[middle]!) < 0) high = middle;
      else low = middle + 1;
    }
    first.splice(low, 0, one);
    if (first.length > wanted) first.pop();
  }
  return first;
}

const byName = new Intl.Collator('en', { numeric: true });

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

async function organizations(database: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const text = sql<string>`lower(${sql.ref('organization.name')})`;
  const match = await holdsText(database, 'organization', [text], search);
  const rows = await best(
    database.query
      .selectFrom('organization')
      .select(['id', 'name'])
      .$if(organizationIDs !== undefined, (of) => of.where(beside(match, 'organization.id'), 'in', organizationIDs!)),
    match,
    isNamed(database, 'organization.name', search),
  );
  return rows.map((row) => ({
    matched: [row.name],
    tell: () => ({ kind: 'organization', ...organizationOf(row.id, row.name) }),
  }));
}

async function applications(database: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const match = await holdsText(database, 'application', [sql.ref('application.search_text')], search);
  const rows = await best(
    database.query
      .selectFrom('application')
      .innerJoin('organization', 'organization.id', 'application.organization_id')
      .select(['application.id', 'application.name', 'organization_id', 'organization.name as organization_name'])
      .$if(organizationIDs !== undefined, (of) =>
        of.where(beside(match, 'application.organization_id'), 'in', organizationIDs!),
      ),
    match,
    isNamed(database, 'application.name', search),
  );
  return rows.map((row) => ({
    matched: [row.name],
    tell: () => ({
      kind: 'application',
      ...organizationOf(row.organization_id, row.organization_name),
      applicationID: String(row.id),
      applicationName: row.name,
    }),
  }));
}

async function gateways(database: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const match = await holdsTextOrTags(database, 'gateway', [sql.ref('gateway.search_text')], search);
  const rows = await best(
    database.query
      .selectFrom('gateway')
      .innerJoin('organization', 'organization.id', 'gateway.organization_id')
      .select(['gateway.id', 'gateway.name', 'organization_id', 'organization.name as organization_name'])
      .$if(organizationIDs !== undefined, (of) =>
        of.where(beside(match, 'gateway.organization_id'), 'in', organizationIDs!),
      ),
    match,
    isNamed(database, 'gateway.name', search),
  );
  return rows.map((row) => ({
    matched: [row.name, row.id],
    tell: () => ({
      kind: 'gateway',
      ...organizationOf(row.organization_id, row.organization_name),
      gatewayMAC: row.id,
      gatewayName: row.name,
    }),
  }));
}

async function devices(database: Database, { search, organizationIDs }: Search): Promise<Found[]> {
  const texts = [sql.ref<string>('device.search_text'), sql.ref<string>('device.dev_addr')];
  const match = await holdsTextOrTags(database, 'device', texts, search);
  const rows = await best(
    database.query
      .selectFrom('device')
      .innerJoin('application', 'application.id', 'device.application_id')
      .innerJoin('organization', 'organization.id', 'application.organization_id')
      .select(['dev_eui', 'device.name', 'dev_addr', 'application_id', 'application.name as application_name'])
      .select(['organization_id', 'organization.name as organization_name'])
      .$if(organizationIDs !== undefined, (of) =>
        of.where(beside(match, 'application.organization_id'), 'in', organizationIDs!),
      ),
    match,
    isNamed(database, 'device.name', search),
  );
  return rows.map((row) => ({
    matched: [row.name, row.dev_eui, row.dev_addr],
    tell: () => ({
      kind: 'device',
      ...organizationOf(row.organization_id, row.organization_name),
      applicationID: String(row.application_id),
      applicationName: row.application_name,
      deviceDevEUI: row.dev_eui,
      deviceName: row.name,
    }),
  }));
}

/** Some of the rows that match; when there are more, those with exactly this name are among them. */
async function best<TB extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, TB, Row>,
  match: TextMatch,
  isNamedSo: RawBuilder<boolean>,
): Promise<Row[]> {
  const some = await rows.where(match.rule).limit(mostPerKind).execute();
  if (some.length < mostPerKind) return some;
  const exact = await rows.where(isNamedSo).limit(mostPerKind).execute();
  if (exact.length === 0) return some;
  const told = new Set(exact.map((row) => JSON.stringify(row)));
  return [...exact, ...some.filter((row) => !told.has(JSON.stringify(row)))];
}

function organizationOf(id: number, name: string) {
  return { organizationID: String(id), organizationName: name };
}
