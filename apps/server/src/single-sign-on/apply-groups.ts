import { ApiError, type AuditChange, type AuditEventName, auditLimits } from '@hilltop/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Logger } from 'pino';
import { type AuditDependencies, writeAudit } from '../audit/write.ts';
import type { Tables } from '../database/tables.ts';
import {
  endSessions,
  loadUser,
  refuseWithoutAdministrator,
  type UserRow,
  updateUser,
} from '../resources/user/store.ts';
import { type GroupRights, type GroupRoles, groupsIn, nameOfRights, rightsOfGroups } from './group-roles.ts';

interface ApplyGroupsDependencies extends AuditDependencies {
  principals: { changed: (id: string) => void };
  log: Logger;
}

/** What a sign-in is about. */
interface SignedIn {
  user: UserRow;
  /** The groups, as the provider sent them. */
  claim: unknown;
  /** Of the browser. */
  address: string;
}

/**
 * Gives a user the memberships and the role of its groups, and removes those that came from groups which it has no
 * longer. What was given by hand stays as it is. Resolves with the user as it then is.
 */
export async function applyGroups(
  needs: ApplyGroupsDependencies,
  mapping: GroupRoles,
  { user, claim, address }: SignedIn,
): Promise<UserRow> {
  if (mapping.size === 0) return user;
  const { database, principals, log } = needs;
  const id = String(user.id);
  if (claim === undefined) log.warn({ account: `user ${id}` }, 'the sign-in provider sent no groups');
  const { isGlobalAdmin, memberships } = rightsOfGroups(mapping, groupsIn(claim));
  return database.transaction(async () => {
    const before = await loadUser(database, id);
    const changes = [
      ...(await applyMemberships(needs, user.id, memberships)),
      ...(await applyGlobalAdmin(needs, before, isGlobalAdmin)),
    ];
    if (changes.length === 0) return before;
    principals.changed(id);
    await writeAudit(needs, {
      actor: { kind: 'USER', id, name: before.email },
      address,
      operation: 'singleSignOn.applyGroups' satisfies AuditEventName,
      subject: { kind: 'user', id, name: before.email },
      changes: { changes: changes.slice(0, auditLimits.changes), isCut: changes.length > auditLimits.changes },
    });
    return loadUser(database, id);
  });
}

const changeOf = (field: string, before: string, after: string): AuditChange => ({
  field,
  before,
  after,
  secret: 'NONE',
  isCut: false,
});

async function applyMemberships(
  { database: { query }, clock, log }: ApplyGroupsDependencies,
  userID: number,
  wanted: ReadonlyMap<string, GroupRights>,
): Promise<AuditChange[]> {
  const names = [...wanted.keys()];
  const organizations = await query
    .selectFrom('organization')
    .select(['id', 'name'])
    .where((where) =>
      where.or([
        where('name', 'in', ['', ...names]),
        where(
          'id',
          'in',
          query.selectFrom('organization_user').select('organization_id').where('user_id', '=', userID),
        ),
      ]),
    )
    .execute();
  const missing = names.filter((name) => !organizations.some((one) => one.name === name));
  if (missing.length > 0) log.warn({ organizations: missing }, 'groups are mapped to organizations that do not exist');
  const present = await query.selectFrom('organization_user').selectAll().where('user_id', '=', userID).execute();
  const updated_at = clock.now();
  const changes: AuditChange[] = [];
  for (const { id: organization_id, name } of organizations) {
    const rights = wanted.get(name);
    const before = present.find((one) => one.organization_id === organization_id);
    const key = { organization_id, user_id: userID };
    // What was given by hand stays as it is.
    if (before && !before.is_by_group) continue;
    if (!before) {
      const row = { ...key, ...rights!, is_by_group: true, application_ids: null };
      await query
        .insertInto('organization_user')
        .values({ ...row, created_at: updated_at, updated_at })
        .execute();
    } else if (!rights) {
      await query.deleteFrom('organization_user').where(ofMember(key)).execute();
    } else if (!isSame(before, rights)) {
      await query
        .updateTable('organization_user')
        .set({ ...rights, updated_at })
        .where(ofMember(key))
        .execute();
    } else continue;
    changes.push(
      changeOf(`memberships.${name}`, before ? nameOfRights(before) : '', rights ? nameOfRights(rights) : ''),
    );
  }
  return changes;
}

const ofMember =
  ({ organization_id, user_id }: { organization_id: number; user_id: number }) =>
  (where: ExpressionBuilder<Tables, 'organization_user'>) =>
    where.and({ organization_id, user_id });

const isSame = (one: GroupRights, other: GroupRights): boolean =>
  (Object.keys(other) as (keyof GroupRights)[]).every((name) => one[name] === other[name]);

/** The last global administrator stays one. */
async function applyGlobalAdmin(
  { database, clock, log }: ApplyGroupsDependencies,
  user: UserRow,
  isWanted: boolean,
): Promise<AuditChange[]> {
  if (isWanted === user.is_admin || (!isWanted && !user.is_admin_by_group)) return [];
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
      return [];
    }
  }
  await updateUser(database, user.id, { is_admin: isWanted, is_admin_by_group: isWanted, updated_at: clock.now() });
  if (!isWanted) await endSessions(database, user.id);
  return [changeOf('isAdmin', String(user.is_admin), String(isWanted))];
}
