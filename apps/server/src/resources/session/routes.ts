import { notFound, type Operations, unauthenticated } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { countOf, type Page, readPage } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import type { BrandingSettings } from '../../http/settings.ts';
import { toRowID } from '../../identifiers.ts';
import type { Principal, Principals } from '../../identity/principals.ts';
import { isLiving } from '../../identity/session-lifetime.ts';
import type { UserSessionSettings } from '../../identity/settings.ts';
import { endSessions, loadUser } from '../user/store.ts';
import { endOtherSessions, endSession } from './session.ts';
import { readSignInPage } from './sign-in-page.ts';

interface SessionRoutesDependencies {
  config: UserSessionSettings & BrandingSettings;
  database: Database;
  clock: Clock;
  principals: Principals;
}

/** The sessions of the calling user, and how to end one that the user does not recognize. */
export function sessionRoutes(needs: SessionRoutesDependencies): Handlers<Operations['session']> {
  const { database } = needs;
  return {
    list: (page, { principal }) => sessionsOf(needs, page, personOf(principal)),

    end: async ({ id }, { principal }) => {
      if (!(await endSession(needs, { sessionID: id, id: personOf(principal).id }))) throw notFound('session', id);
      return {};
    },

    endOthers: async (_request, { principal }) => {
      await endOtherSessions(needs, personOf(principal));
      return {};
    },

    listOfUser: ({ userID, ...page }, { principal }) => {
      const sessionID = principal?.kind === 'user' ? principal.sessionID : '';
      return sessionsOf(needs, page, { id: userID, sessionID });
    },

    endOfUser: async ({ userID, id }) => {
      if (!(await endSession(needs, { sessionID: id, id: userID }))) throw notFound('session', id);
      return {};
    },

    endAllOfUser: async ({ userID }) => {
      const user = await loadUser(database, userID);
      await database.transaction(async () => {
        await endSessions(database, user.id);
        needs.principals.changed(userID);
      });
      return {};
    },

    getSignInPage: () => readSignInPage(needs),
  };
}

/** A page of the living sessions of a user; `sessionID` is that of the caller. */
function sessionsOf(
  { database, clock, config }: SessionRoutesDependencies,
  page: Page,
  { id, sessionID }: { id: string; sessionID: string },
) {
  const now = clock.now();
  const living = database.query
    .selectFrom('session')
    .where('user_id', '=', toRowID(id))
    .where('expires_at', '>', now)
    .where((row) => isLiving(row, config, now));
  return readPage(
    page,
    () => countOf(living),
    async () => {
      const used = (row: { last_used_at: Date | null; created_at: Date }) => row.last_used_at ?? row.created_at;
      const rows = await living
        .selectAll()
        .orderBy((row) => row.fn.coalesce('last_used_at', 'created_at'), 'desc')
        .orderBy('id')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        createdAt: row.created_at.toISOString(),
        lastUsedAt: (row.id === sessionID ? now : used(row)).toISOString(),
        expiresAt: row.expires_at.toISOString(),
        address: row.address,
        agent: row.agent,
        isCurrent: row.id === sessionID,
      }));
    },
  );
}

function personOf(principal: Principal) {
  if (principal?.kind !== 'user') throw unauthenticated();
  return principal;
}
