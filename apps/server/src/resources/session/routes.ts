import { notFound, type Operations, unauthenticated } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { countOf, readPage } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import type { BrandingSettings } from '../../http/settings.ts';
import type { Principal, Principals } from '../../identity/principals.ts';
import { isLiving } from '../../identity/session-lifetime.ts';
import type { UserSessionSettings } from '../../identity/settings.ts';
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
  const { database, clock } = needs;
  return {
    list: (page, { principal }) => {
      const { id, sessionID } = personOf(principal);
      const now = clock.now();
      const living = database.query
        .selectFrom('session')
        .where('user_id', '=', Number(id))
        .where('expires_at', '>', now)
        .where((row) => isLiving(row, needs.config, now));
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
    },

    end: async ({ id }, { principal }) => {
      if (!(await endSession(needs, { sessionID: id, id: personOf(principal).id }))) throw notFound('session', id);
      return {};
    },

    endOthers: async (_request, { principal }) => {
      await endOtherSessions(needs, personOf(principal));
      return {};
    },

    getSignInPage: () => readSignInPage(needs),
  };
}

function personOf(principal: Principal) {
  if (principal?.kind !== 'user') throw unauthenticated();
  return principal;
}
