import { type APIKey, atField, notFound, type Operations, refusal, type SortableBy } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID, toID } from '../../identifiers.ts';
import type { Principals } from '../../identity/principals.ts';
import { createTokens } from '../../identity/tokens.ts';
import type { Secrets } from '../../secrets.ts';
import type { APIKeyTable } from './tables.ts';

type Routes = Pick<Handlers<Operations['internal']>, 'listAPIKeys' | 'createAPIKey' | 'deleteAPIKey'>;

type Field = SortableBy<Operations['internal']['listAPIKeys']>;

const orders: Orders<Field> = {
  by: { id: plain('api_key.id'), name: alphabetical('api_key.name') },
  usual: 'name',
  key: 'api_key.id',
};

interface APIKeyRoutesDependencies {
  database: Database;
  clock: Clock;
  secrets: Secrets;
  principals: Principals;
}

/**
 * API keys: a row each, without the token. A token is derived from the id of the row, and valid while the row exists.
 */
export function apiKeyRoutes({ database, secrets, principals, clock }: APIKeyRoutesDependencies): Routes {
  const tokens = createTokens(secrets.tokenKey, () => clock.now());
  return {
    listAPIKeys: ({ isAdmin, organizationID, applicationID, include, search, ...page }) => {
      const organization = toFilterID(organizationID);
      const application = toFilterID(applicationID);
      const matching = database.query
        .selectFrom('api_key')
        .where('is_admin', '=', isAdmin)
        .where(isCalled('api_key.name', search))
        .$if(organization !== undefined, (rows) => rows.where('organization_id', '=', organization!))
        .$if(application !== undefined, (rows) => rows.where('application_id', '=', application!));
      return readInOrder(database.kind, orders, page, {
        rows: matching.selectAll(),
        count: () => countOf(matching),
        toItem: (row) => ({
          ...fromRow(row),
          ...(include === 'expiresAt' && { expiresAt: row.expires_at?.toISOString() ?? null }),
        }),
      });
    },

    createAPIKey: async ({ apiKey }) => {
      const now = clock.now();
      const id = crypto.randomUUID();
      const expiresAt = apiKey.expiresAt ? new Date(apiKey.expiresAt) : null;
      if (expiresAt && expiresAt <= now) throw atField('apiKey.expiresAt', refusal('API_KEY_EXPIRY_PAST'));
      await database.query
        .insertInto('api_key')
        .values({ id, name: apiKey.name, ...scopeOf(apiKey), created_at: now, expires_at: expiresAt })
        .execute();
      return { id, jwtToken: await tokens.ofKey(id, now) };
    },

    deleteAPIKey: async ({ id }) => {
      const { numDeletedRows } = await database.query.deleteFrom('api_key').where('id', '=', id).executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound('API key', id);
      principals.changed(id);
      return {};
    },
  };
}

/** The scope of a key is everything, one organization or one application: exactly one of them. */
function scopeOf({ isAdmin, organizationID, applicationID }: APIKey) {
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

function fromRow(row: Selectable<APIKeyTable>): APIKey {
  return {
    id: row.id,
    name: row.name,
    isAdmin: row.is_admin,
    organizationID: String(row.organization_id ?? 0),
    applicationID: String(row.application_id ?? 0),
  };
}
