import {
  type Application,
  type ApplicationListItem,
  atField,
  notFound,
  type Operations,
  refusal,
  type SortableBy,
} from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf, searchText } from '../../database/page.ts';
import { beside, holdsText } from '../../database/search.ts';
import { toRowID } from '../../identifiers.ts';
import { type ApplicationLimit, isWithinLimit } from '../../identity/visibility.ts';
import { descriptionLimit } from '../description-limit.ts';
import { recordsOf } from '../records.ts';
import type { ApplicationTable } from './tables.ts';

export type ApplicationRow = Selectable<ApplicationTable>;

type Field = SortableBy<Operations['application']['list']>;

const orders: Orders<Field> = {
  by: {
    id: plain('application.id'),
    name: alphabetical('application.name'),
    description: alphabetical('application.description'),
    serviceProfileName: alphabetical('service_profile.name'),
  },
  usual: 'name',
  key: 'application.id',
};

export interface ApplicationFilter {
  organizationIDs: readonly number[] | undefined;
  /** Leaves only some applications of some organizations. */
  within: ApplicationLimit | undefined;
  search: string;
}

/** A page of applications, usually by name. */
export async function listApplications(
  database: Database,
  { organizationIDs, within, search }: ApplicationFilter,
  page: SortedPage<Field>,
) {
  const { query, kind } = database;
  const found =
    search === '' ? undefined : await holdsText(database, 'application', ['application.search_text'], search);
  const matching = query
    .selectFrom('application')
    .$if(organizationIDs !== undefined, (rows) =>
      rows.where(beside(found, 'application.organization_id'), 'in', organizationIDs!),
    )
    .$if(within !== undefined, (rows) => rows.where(isWithinLimit(kind, within!)))
    .$if(found !== undefined, (rows) => rows.where(found!.rule));
  return readInOrder(kind, orders, page, {
    rows: matching
      .innerJoin('service_profile', 'service_profile.id', 'application.service_profile_id')
      .select(['application.id', 'application.name', 'application.organization_id', 'application.service_profile_id'])
      .select(sql<string>`substr(application.description, 1, ${descriptionLimit(page.limit)})`.as('description'))
      .select('service_profile.name as service_profile_name'),
    count: () => countOf(matching),
    toItem: toListItem,
  });
}

export const {
  load: loadApplication,
  insert: insertApplication,
  update: updateApplication,
} = recordsOf('application', 'application', toRowID);

/** Locks the application until the end of the transaction, and resolves with whether it exists. SQLite has one writer anyway. */
export async function lockApplication({ query, kind }: Database, id: number): Promise<boolean> {
  const row = await query
    .selectFrom('application')
    .select('id')
    .where('id', '=', id)
    .$if(kind === 'postgres', (applications) => applications.forUpdate())
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Refuses a service-profile of another organization (code 3) or one that does not exist (code 5). Resolves with its
 * network server.
 */
export async function checkServiceProfile(
  { query }: Database,
  serviceProfileID: string,
  organizationID: number,
): Promise<{ network_server_id: number }> {
  const profile = await query
    .selectFrom('service_profile')
    .select(['organization_id', 'network_server_id'])
    .where('id', '=', serviceProfileID)
    .executeTakeFirst();
  if (!profile) throw notFound('service-profile', serviceProfileID);
  if (profile.organization_id !== organizationID)
    throw atField('application.serviceProfileID', refusal('FOREIGN_PROFILE', { profile: 'service-profile' }));
  return profile;
}

/** The columns that the API may change. */
export function toRow(application: Application, now: Date) {
  return {
    name: application.name,
    description: application.description,
    service_profile_id: application.serviceProfileID,
    payload_codec: application.payloadCodec,
    payload_encoder_script: application.payloadEncoderScript,
    payload_decoder_script: application.payloadDecoderScript,
    search_text: searchText(application.name),
    updated_at: now,
  };
}

export function fromRow(row: ApplicationRow): Application {
  return {
    id: String(row.id),
    name: row.name,
    description: row.description,
    organizationID: String(row.organization_id),
    serviceProfileID: row.service_profile_id,
    payloadCodec: row.payload_codec,
    payloadEncoderScript: row.payload_encoder_script,
    payloadDecoderScript: row.payload_decoder_script,
  };
}

type ListedRow = Pick<ApplicationRow, 'id' | 'name' | 'description' | 'organization_id' | 'service_profile_id'>;

function toListItem(row: ListedRow & { service_profile_name: string }): ApplicationListItem {
  return {
    id: String(row.id),
    name: row.name,
    description: row.description,
    organizationID: String(row.organization_id),
    serviceProfileID: row.service_profile_id,
    serviceProfileName: row.service_profile_name,
  };
}
