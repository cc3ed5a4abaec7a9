import type { GlobalSearchResult } from '@hilltop/contract';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Page } from '../../database/page.ts';
import { perDatabase, prepare } from '../../database/prepared.ts';
import type { Tables } from '../../database/tables.ts';
import { isIn, searching } from './searching.ts';
import { similarTo } from './similarity.ts';

export interface Search extends Page {
  search: string;
  /** Undefined means all. */
  organizationIDs: readonly number[] | undefined;
}

interface SearchHit {
  /** Texts by which the similarity of a row is rated, its name first. */
  matched: [name: string, ...identifiers: string[]];
  result: Partial<GlobalSearchResult> & { kind: string };
  /** For devices: the application is looked up only for the returned rows. */
  applicationID?: number;
}

/**
 * Organizations, applications, gateways and devices by name, identifier or tags (`key:value`), most similar first,
 * equally similar ones by name.
 */
export async function searchEverything(database: Database, search: Search): Promise<GlobalSearchResult[]> {
  const kinds = searchedKinds(database);
  const found = (
    await Promise.all([
      kinds.organizations(search),
      kinds.applications(search),
      kinds.gateways(search),
      kinds.devices(search),
    ])
  ).flat();
  const alike = similarTo(search.search);
  const scored = found.map((one) => ({ ...one, score: Math.max(...one.matched.map(alike)) }));
  const page = firstOf(
    scored,
    search.offset + search.limit,
    (one, other) => other.score - one.score || byName.compare(one.matched[0], other.matched[0]),
  ).slice(search.offset);
  const around = await applicationsOf(database, page);
  return page.flatMap(({ result, applicationID, score }) => {
    if (applicationID === undefined) return [{ ...blank, ...result, score }];
    const application = around.get(applicationID);
    // The application was removed meanwhile, with its devices.
    return application ? [{ ...blank, ...application, ...result, score }] : [];
  });
}

/** The first results in order. Comparing hundreds of names by locale takes longer than finding them. */
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

/** Whether the text may be a DevAddr or a part of one. */
const isInAddress = (search: string) => /^[0-9a-f%_]*$/i.test(search) && search.replaceAll('%', '').length <= 8;

const searchedKinds = perDatabase((database) => {
  const organizations = searching(database, {
    table: 'organization',
    isSmall: true,
    texts: [sql<string>`lower(${sql.ref('organization.name')})`],
    rows: (query, of) =>
      query
        .selectFrom('organization')
        .select(['id', 'name'])
        .$if(of !== undefined, (some) => some.where(of!.isAmong(of!.column('organization.id')))),
  });
  const applications = searching(database, {
    table: 'application',
    isSmall: true,
    texts: [sql.ref('application.search_text')],
    rows: (query, of) =>
      withOrganization(query).$if(of !== undefined, (some) =>
        some.where(of!.isAmong(of!.column('application.organization_id'))),
      ),
  });
  const gateways = searching(database, {
    table: 'gateway',
    texts: [sql.ref('gateway.search_text')],
    isOnlyInFirst: () => true,
    rows: (query, of, from) =>
      query
        .selectFrom(from as 'gateway')
        .innerJoin('organization', 'organization.id', 'gateway.organization_id')
        .select(['gateway.id', 'gateway.name', 'organization_id', 'organization.name as organization_name'])
        .$if(of !== undefined, (some) => some.where(of!.isAmong(of!.column('gateway.organization_id')))),
  });
  const devices = searching(database, {
    table: 'device',
    texts: [sql.ref('device.search_text'), sql.ref('device.dev_addr')],
    isOnlyInFirst: (search) => !isInAddress(search),
    rows: (query, of, from) =>
      query
        .selectFrom(from as 'device')
        .select(['dev_eui', 'device.name', 'dev_addr', 'application_id'])
        .$if(of !== undefined, (some) =>
          some.where(of!.column('device.application_id'), 'in', (eb) =>
            eb
              .selectFrom('application')
              .select('id')
              .where(of!.isAmong(sql.ref('application.organization_id'))),
          ),
        ),
  });
  return {
    organizations: async (search: Search): Promise<SearchHit[]> =>
      (await organizations(search)).map(({ id, name }) => ({
        matched: [name],
        result: { kind: 'organization', organizationID: String(id), organizationName: name },
      })),
    applications: async (search: Search): Promise<SearchHit[]> =>
      (await applications(search)).map((row) => ({
        matched: [row.name],
        result: { kind: 'application', ...placeOf(row) },
      })),
    gateways: async (search: Search): Promise<SearchHit[]> =>
      (await gateways(search)).map((row) => ({
        matched: [row.name, row.id],
        result: {
          kind: 'gateway',
          organizationID: String(row.organization_id),
          organizationName: row.organization_name,
          gatewayMAC: row.id,
          gatewayName: row.name,
        },
      })),
    devices: async (search: Search): Promise<SearchHit[]> =>
      (await devices(search)).map((row) => ({
        matched: [row.name, row.dev_eui, row.dev_addr],
        result: { kind: 'device', deviceDevEUI: row.dev_eui, deviceName: row.name },
        applicationID: row.application_id,
      })),
  };
});

const withOrganization = (query: Kysely<Tables>) =>
  query
    .selectFrom('application')
    .innerJoin('organization', 'organization.id', 'application.organization_id')
    .select(['application.id', 'application.name', 'organization_id', 'organization.name as organization_name']);

function placeOf(row: { id: number; name: string; organization_id: number; organization_name: string }) {
  return {
    organizationID: String(row.organization_id),
    organizationName: row.organization_name,
    applicationID: String(row.id),
    applicationName: row.name,
  };
}

const applicationsByID = perDatabase((database) =>
  prepare<{ ids: string }>()(database, (query, $) =>
    withOrganization(query).where(isIn(database.kind, sql.ref('application.id'), $.ids)),
  ),
);

/** The applications of these devices, by id. */
async function applicationsOf(database: Database, found: readonly SearchHit[]) {
  const ids = new Set(found.map(({ applicationID }) => applicationID).filter((id) => id !== undefined));
  const rows = ids.size === 0 ? [] : await applicationsByID(database).all({ ids: JSON.stringify([...ids]) });
  return new Map(rows.map((row) => [row.id, placeOf(row)]));
}
