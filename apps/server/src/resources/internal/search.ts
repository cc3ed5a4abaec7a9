import type { GlobalSearchResult } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Page } from '../../database/page.ts';
import { perDatabase } from '../../database/per-database.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';
import type { ApplicationLimit } from '../../identity/visibility.ts';
import { declareSearch, isIn } from './searching.ts';
import { similarTo } from './similarity.ts';

export interface Search extends Page {
  search: string;
  /** Undefined means all. Organizations of which the caller sees only some applications are not among them. */
  organizationIDs: readonly number[] | undefined;
  /** The organizations of which the caller is a member. */
  memberOf: readonly number[] | undefined;
  within: ApplicationLimit | undefined;
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
      kinds.organizations({ ...search, organizationIDs: search.memberOf }),
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

const selectApplications = `select application.id, application.name, organization_id,
    organization.name as organization_name
  from application inner join organization on organization.id = application.organization_id`;
type ApplicationRow = RowOf<'application', 'id' | 'name' | 'organization_id'> & { organization_name: string };

const searchOrganizations = declareSearch<RowOf<'organization', 'id' | 'name'>>({
  table: 'organization',
  isSmall: true,
  texts: ['lower(organization.name)'],
  select: () => 'select id, name from organization',
  isWithin: (beside, isVisible) => isVisible(beside('organization.id')),
});

const searchApplications = declareSearch<ApplicationRow>({
  table: 'application',
  isSmall: true,
  texts: ['application.search_text'],
  select: () => selectApplications,
  isWithin: (beside, isVisible, isOneOf) =>
    `(${isVisible(beside('application.organization_id'))} or ${isOneOf(beside('application.id'))})`,
});

const searchGateways = declareSearch<
  RowOf<'gateway', 'id' | 'name' | 'organization_id'> & { organization_name: string }
>({
  table: 'gateway',
  texts: ['gateway.search_text'],
  isOnlyInFirst: () => true,
  select: (from) => `select gateway.id, gateway.name, organization_id, organization.name as organization_name
    from ${from} inner join organization on organization.id = gateway.organization_id`,
  isWithin: (beside, isVisible) => isVisible(beside('gateway.organization_id')),
});

const searchDevices = declareSearch<RowOf<'device', 'dev_eui' | 'name' | 'dev_addr' | 'application_id'>>({
  table: 'device',
  texts: ['device.search_text', 'device.dev_addr'],
  isOnlyInFirst: (search) => !isInAddress(search),
  select: (from) => `select dev_eui, device.name, dev_addr, application_id from ${from}`,
  isWithin: (beside, isVisible, isOneOf) => `${beside('device.application_id')} in (
    select id from application where ${isVisible('application.organization_id')} or ${isOneOf('application.id')}
  )`,
});

const searchedKinds = perDatabase((database) => {
  const organizations = searchOrganizations(database);
  const applications = searchApplications(database);
  const gateways = searchGateways(database);
  const devices = searchDevices(database);
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

function placeOf(row: { id: number; name: string; organization_id: number; organization_name: string }) {
  return {
    organizationID: String(row.organization_id),
    organizationName: row.organization_name,
    applicationID: String(row.id),
    applicationName: row.name,
  };
}

const applicationsByID = statement<ApplicationRow>()({
  sql: ({ kind }) => `${selectApplications} where ${isIn(kind, 'application.id', '$ids')}`,
  given: { ids: 'json' },
});

/** The applications of these devices, by id. */
async function applicationsOf(database: Database, found: readonly SearchHit[]) {
  const ids = new Set(found.map(({ applicationID }) => applicationID).filter((id) => id !== undefined));
  const rows = ids.size === 0 ? [] : await applicationsByID(database).all({ ids: [...ids] });
  return new Map(rows.map((row) => [row.id, placeOf(row)]));
}
