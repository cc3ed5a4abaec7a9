import { type APIKey, atField, type Operations, refusal, type SortableBy } from '@hilltop/contract';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage, sparse } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import { toFilterID, toID } from '../../identifiers.ts';
import { recordsOf } from '../records.ts';
import type { APIKeyTable } from './tables.ts';

export type APIKeyRow = Selectable<APIKeyTable>;

export const {
  load: loadAPIKey,
  insert: insertAPIKey,
  update: updateAPIKey,
  remove: deleteAPIKey,
} = recordsOf('api_key', 'API key');

type Field = SortableBy<Operations['internal']['listAPIKeys']>;

const orders: Orders<Field> = {
  by: {
    id: plain('api_key.id'),
    name: alphabetical('api_key.name'),
    createdAt: plain('api_key.created_at'),
    expiresAt: sparse('api_key.expires_at'),
    lastUsedAt: sparse('api_key.last_used_at'),
  },
  usual: 'name',
  key: 'api_key.id',
};

export interface APIKeyFilter extends SortedPage<Field> {
  isAdmin: boolean;
  organizationID: string;
  applicationID: string;
  search: string;
  include: '' | 'expiresAt' | 'details';
}

/** A page of the keys of one scope, usually by name. */
export function listAPIKeys(
  { query, kind }: Database,
  { isAdmin, organizationID, applicationID, search, include, ...page }: APIKeyFilter,
) {
  const organization = toFilterID(organizationID);
  const application = toFilterID(applicationID);
  const matching = query
    .selectFrom('api_key')
    .where('is_admin', '=', isAdmin)
    .where(isCalled('api_key.name', search))
    .$if(organization !== undefined, (rows) => rows.where('organization_id', '=', organization!))
    .$if(application !== undefined, (rows) => rows.where('application_id', '=', application!));
  return readInOrder(kind, orders, page, {
    rows: matching.selectAll(),
    count: () => countOf(matching),
    toItem: (row) => ({
      ...fromRow(row),
      ...(include === 'expiresAt' && { expiresAt: iso(row.expires_at) }),
      ...(include === 'details' && detailsOf(row)),
    }),
  });
}

/** The scope of a key is everything, one organization or one application: exactly one of them. */
export function scopeOf({
  isAdmin,
  organizationID,
  applicationID,
}: Pick<APIKey, 'isAdmin' | 'organizationID' | 'applicationID'>) {
  const organization = toFilterID(organizationID);
  const application = toFilterID(applicationID);
  const scopes = [isAdmin || undefined, organization, application].filter((scope) => scope !== undefined);
  if (scopes.length !== 1) throw atField('apiKey', refusal('API_KEY_SCOPE'));
  return {
    is_admin: isAdmin,
    organization_id: organization === undefined ? null : toID(organizationID, 'organization'),
    application_id: application === undefined ? null : toID(applicationID, 'application'),
  };
}

type NewAPIKey = Pick<Insertable<APIKeyTable>, 'name' | 'access' | 'expires_at' | 'created_by'> &
  ReturnType<typeof scopeOf>;

/** A new key. Its token is derived from the id. */
export const newAPIKey = (key: NewAPIKey, now: Date) => ({
  ...key,
  id: crypto.randomUUID(),
  created_at: now,
  expiry_set_at: now,
});

const iso = (time: Date | null) => time?.toISOString() ?? null;

export function fromRow(row: APIKeyRow): APIKey {
  return {
    id: row.id,
    name: row.name,
    isAdmin: row.is_admin,
    organizationID: String(row.organization_id ?? 0),
    applicationID: String(row.application_id ?? 0),
  };
}

export function detailsOf(row: APIKeyRow) {
  return {
    access: row.access,
    expiresAt: iso(row.expires_at),
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by ?? '',
    lastUsedAt: iso(row.last_used_at),
    lastUsedAddress: row.last_used_address ?? '',
  };
}
