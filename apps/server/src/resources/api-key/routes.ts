import { APIKey, atField, type Operations, refusal, replacedKeyHours } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { auditBefore } from '../../audit/transactions.ts';
import type { Database } from '../../database/database.ts';
import type { Context, Handlers } from '../../http/call.ts';
import type { Principals } from '../../identity/principals.ts';
import { createTokens } from '../../identity/tokens.ts';
import type { Secrets } from '../../secrets.ts';
import { refuseBeyondLimit } from '../record-limits.ts';
import {
  deleteAPIKey,
  detailsOf,
  fromRow,
  insertAPIKey,
  listAPIKeys,
  loadAPIKey,
  newAPIKey,
  scopeOf,
  updateAPIKey,
} from './store.ts';

type RecordedRoutes = Pick<Handlers<Operations['internal']>, 'listAPIKeys' | 'createAPIKey' | 'deleteAPIKey'>;

interface APIKeyRoutesDependencies {
  database: Database;
  clock: Pick<Clock, 'now'>;
  secrets: Pick<Secrets, 'tokenKey'>;
  principals: Principals;
}

const replacedKeyMs = replacedKeyHours * 3_600_000;

/** API keys: a row each, without the token. A token is derived from the id of the row, and valid while the row exists. */
export function recordedAPIKeyRoutes(needs: APIKeyRoutesDependencies): RecordedRoutes {
  const { database, secrets, principals, clock } = needs;
  const tokens = createTokens(secrets.tokenKey, () => clock.now());
  return {
    listAPIKeys: (filter) => listAPIKeys(database, filter),

    createAPIKey: async ({ apiKey }, { principal }) => {
      const now = clock.now();
      const key = {
        ...scopeOf(apiKey),
        name: apiKey.name,
        access: apiKey.access ?? 'FULL',
        expires_at: expiryOf(apiKey.expiresAt, now, 'apiKey.expiresAt'),
        created_by: nameOf(principal),
      };
      const row = newAPIKey(key, now);
      const jwtToken = await tokens.ofKey(row.id, now);
      return database.transaction(async () => {
        await refuseMoreKeys(database, row);
        await insertAPIKey(database, row);
        return { id: row.id, jwtToken };
      });
    },

    deleteAPIKey: ({ id }) =>
      database.transaction(async () => {
        const before = await loadAPIKey(database, id);
        auditBefore(APIKey, { ...fromRow(before), ...detailsOf(before) });
        await deleteAPIKey(database, id);
        principals.changed(id);
        return {};
      }),
  };
}

export function apiKeyRoutes(needs: APIKeyRoutesDependencies): Handlers<Operations['apiKey']> {
  const { database, secrets, principals, clock } = needs;
  const tokens = createTokens(secrets.tokenKey, () => clock.now());
  return {
    update: ({ id, name, expiresAt }) =>
      database.transaction(async () => {
        const now = clock.now();
        const before = await loadAPIKey(database, id);
        auditBefore(APIKey, { ...fromRow(before), ...detailsOf(before) });
        const isSame = (expiresAt ? Date.parse(expiresAt) : undefined) === before.expires_at?.getTime();
        // An expired key can be renamed.
        if (before.replaced_at && !isSame) throw refusal('API_KEY_REPLACED');
        const expiry = isSame ? {} : { expires_at: expiryOf(expiresAt, now, 'expiresAt'), expiry_set_at: now };
        await updateAPIKey(database, id, { name, ...expiry });
        principals.changed(id);
        return {};
      }),

    replace: ({ id, expiresAt, neverExpires }, { principal }) =>
      database.transaction(async () => {
        const now = clock.now();
        const {
          name,
          access,
          is_admin,
          organization_id,
          application_id,
          expires_at: end,
          replaced_at,
        } = await loadAPIKey(database, id);
        if (replaced_at) throw refusal('API_KEY_REPLACED');
        const key = {
          ...{ name, access, is_admin, organization_id, application_id },
          expires_at: neverExpires ? null : expiryOf(expiresAt ?? end?.toISOString(), now, 'expiresAt'),
          created_by: nameOf(principal),
        };
        await refuseMoreKeys(database, key);
        const newID = await insertAPIKey(database, newAPIKey(key, now));
        const overlapEnd = new Date(now.getTime() + replacedKeyMs);
        const isLonger = !end || end > overlapEnd;
        const expiry = isLonger ? { expires_at: overlapEnd, expiry_set_at: now } : {};
        await updateAPIKey(database, id, { replaced_at: now, ...expiry });
        principals.changed(id);
        return { id: newID, jwtToken: await tokens.ofKey(newID, now) };
      }),
  };
}

async function refuseMoreKeys(
  database: Database,
  { organization_id, application_id }: ReturnType<typeof scopeOf>,
): Promise<void> {
  if (organization_id !== null)
    await refuseBeyondLimit(database, 'api_key', { owner: 'organization', id: organization_id });
  if (application_id !== null)
    await refuseBeyondLimit(database, 'api_key', { owner: 'application', id: application_id });
}

function expiryOf(expiresAt: string | null | undefined, now: Date, field: string): Date | null {
  if (!expiresAt) return null;
  const at = new Date(expiresAt);
  if (at <= now) throw atField(field, refusal('API_KEY_EXPIRY_PAST'));
  return at;
}

const nameOf = (principal: Context['principal']) => (principal?.kind === 'user' ? principal.email : null);
