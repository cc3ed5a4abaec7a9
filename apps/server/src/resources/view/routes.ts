import { randomUUID } from 'node:crypto';
import { mostViews, notFound, type Operations, refusal, unauthenticated, View, type ViewList } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import { auditBefore } from '../../audit/transactions.ts';
import type { Database } from '../../database/database.ts';
import { alphabetical, inOrder, type Orders } from '../../database/order.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import type { Principal } from '../../identity/principals.ts';
import type { ViewTable } from './tables.ts';

/** The lists of one organization, or of all, that a user has saved views of. */
interface ViewOwner {
  user_id: number;
  organization_id: number | null;
  list: ViewList;
}

const orders: Orders<'name'> = { by: { name: alphabetical('view.name') }, usual: 'name', key: 'view.id' };

/** Saved views of lists. Nobody sees or changes those of another user. */
export function viewRoutes({ database }: { database: Database }): Handlers<Operations['view']> {
  const viewsOf = ({ user_id, organization_id, list }: ViewOwner) =>
    database.query
      .selectFrom('view')
      .where('user_id', '=', user_id)
      .where('organization_id', 'is not distinct from', organization_id)
      .where('list', '=', list);

  /** A list opens with one view at most. */
  const endOtherStarts = async (id: string, { user_id, organization_id, list }: ViewOwner) => {
    await database.query
      .updateTable('view')
      .set({ is_start: false })
      .where('id', '!=', id)
      .where('user_id', '=', user_id)
      .where('organization_id', 'is not distinct from', organization_id)
      .where('list', '=', list)
      .execute();
  };

  return {
    list: async ({ organizationID, list }, { principal }) => {
      const owner = { user_id: userOf(principal), organization_id: toFilterID(organizationID) ?? null, list };
      const rows = await viewsOf(owner).selectAll().$call(inOrder(database.kind, orders)).execute();
      return {
        result: rows.map(fromRow),
      };
    },

    create: ({ organizationID, list, name, query, isStart }, { principal }) =>
      database.transaction(async () => {
        const owner = { user_id: userOf(principal), organization_id: toFilterID(organizationID) ?? null, list };
        await lockUser(database, owner.user_id);
        const { length } = await viewsOf(owner).select('id').limit(mostViews).execute();
        if (length >= mostViews) throw refusal('TOO_MANY_VIEWS', { most: mostViews });
        const id = randomUUID();
        await database.query
          .insertInto('view')
          .values({ id, ...owner, name, query, is_start: isStart })
          .execute();
        if (isStart) await endOtherStarts(id, owner);
        return { id };
      }),

    update: ({ id, name, query, isStart }, { principal }) =>
      database.transaction(async () => {
        const user_id = userOf(principal);
        await lockUser(database, user_id);
        const before = await database.query
          .selectFrom('view')
          .selectAll()
          .where('id', '=', id)
          .where('user_id', '=', user_id)
          .executeTakeFirst();
        if (!before) throw notFound('view', id);
        auditBefore(View, fromRow(before));
        await database.query.updateTable('view').set({ name, query, is_start: isStart }).where('id', '=', id).execute();
        if (isStart) await endOtherStarts(id, before);
        return {};
      }),

    delete: async ({ id }, { principal }) => {
      const removed = await database.query
        .deleteFrom('view')
        .where('id', '=', id)
        .where('user_id', '=', userOf(principal))
        .returningAll()
        .executeTakeFirst();
      if (!removed) throw notFound('view', id);
      auditBefore(View, fromRow(removed));
      return {};
    },
  };
}

const fromRow = ({ id, organization_id, list, name, query, is_start }: Selectable<ViewTable>): View => ({
  ...{ id, list, name, query, isStart: is_start },
  organizationID: String(organization_id ?? 0),
});

function userOf(principal: Principal): number {
  if (principal?.kind !== 'user') throw unauthenticated();
  return Number(principal.id);
}

/** Changes of the views of one user run one after the other. SQLite has one writer anyway. */
async function lockUser({ query, kind }: Database, id: number): Promise<void> {
  if (kind === 'postgres') await query.selectFrom('user').select('id').where('id', '=', id).forUpdate().execute();
}
