import { ApiError } from '@hilltop/contract';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import {
  endSessions,
  loadUser,
  refuseWithoutAdministrator,
  type UserRow,
  updateUser,
} from '../resources/user/store.ts';
import { type GroupRights, type GroupRoles, groupsIn, rightsOfGroups } from './group-roles.ts';

interface ApplyGroupsDependencies {
  database: Database;
  principals: { changed: (id: string) => void };
  now: () => Date;
  log: Logger;
}

/**
 * Gives a user the memberships and the role of its groups, and removes those that came from groups which it has no
 * longer. What was given by hand stays as it is. Resolves with the user as it then is.
 */
export async function applyGroups(
  needs: ApplyGroupsDependencies,
  user: UserRow,
  mapping: GroupRoles,
  claim: unknown,
): Promise<UserRow> {
  if (mapping.size === 0) return user;
  if (claim === undefined) needs.log.warn({ account: `user ${user.id}` }, 'the sign-in provider sent no groups');
  const { isGlobalAdmin, memberships } = rightsOfGroups(mapping, groupsIn(claim));
  return needs.database.transaction(async () => {
    const before = await loadUser(needs.database, String(user.id));
    const changes = await applyMemberships(needs, user.id, memberships);
    const isAdminChanged = await applyGlobalAdmin(needs, before, isGlobalAdmin);
    if (changes === 0 && !isAdminChanged) return before;
    needs.principals.changed(String(user.id));
    needs.log.info({ account: `user ${user.id}`, memberships: changes, isAdminChanged }, 'rights by groups changed');
    return loadUser(needs.database, String(user.id));
  });
}

/** Resolves with the number of changes. */
async function applyMemberships(
  { database: { query }, now, log }: ApplyGroupsDependencies,
  userID: number,
  wanted: ReadonlyMap<string, GroupRights>,
): Promise<number> {
  const names = [...wanted.keys()];
  const organizations =
    names.length === 0
      ? []
      : await query.selectFrom('organization').select(['id', 'name']).where('name', 'in', names).execute();
  const missing = names.filter((name) => !organizations.some((one) => one.name === name));
  if (missing.length > 0) log.warn({ organizations: missing }, 'groups are mapped to organizations that do not exist');
  const present = await query.selectFrom('organization_user').selectAll().where('user_id', '=', userID).execute();
  const at = now();
  let changes = 0;
  for (const { id, name } of organizations) {
    const rights = wanted.get(name)!;
    const before = present.find(({ organization_id }) => organization_id === id);
    if (!before) {
      const row = { organization_id: id, user_id: userID, is_by_group: true, application_ids: null };
      await query
        .insertInto('organization_user')
        .values({ ...row, ...rights, created_at: at, updated_at: at })
        .execute();
    } else if (before.is_by_group && !isSame(before, rights)) {
      const member = query
        .updateTable('organization_user')
        .where('organization_id', '=', id)
        .where('user_id', '=', userID);
      await member.set({ ...rights, updated_at: at }).execute();
    } else continue;
    changes += 1;
  }
  const kept = new Set(organizations.map(({ id }) => id));
  for (const { organization_id: id } of present.filter((one) => one.is_by_group && !kept.has(one.organization_id))) {
    await query
      .deleteFrom('organization_user')
      .where('organization_id', '=', id)
      .where('user_id', '=', userID)
      .execute();
    changes += 1;
  }
  return changes;
}

const isSame = (one: GroupRights, other: GroupRights): boolean =>
  (Object.keys(other) as (keyof GroupRights)[]).every((name) => one[name] === other[name]);

/** Resolves with whether the role of the user changed. The last global administrator keeps it. */
async function applyGlobalAdmin(
  { database, now, log }: ApplyGroupsDependencies,
  user: UserRow,
  isWanted: boolean,
): Promise<boolean> {
  if (isWanted === user.is_admin || (!isWanted && !user.is_admin_by_group)) return false;
  if (!isWanted && user.is_active) {
    const isLast = await refuseWithoutAdministrator(database, user.id).then(
      () => false,
      (error: unknown) => {
        if (error instanceof ApiError && error.reason === 'LAST_ADMIN') return true;
        throw error;
      },
    );
    if (isLast) {
      log.warn({ account: `user ${user.id}` }, 'the last active global admin stays one, although no group says so');
      return false;
    }
  }
  await updateUser(database, user.id, { is_admin: isWanted, is_admin_by_group: isWanted, updated_at: now() });
  if (!isWanted) await endSessions(database, user.id);
  return true;
}
