import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';
import { isInList } from '../database/in-list.ts';
import type { Principal } from './principals.ts';

const membershipsOf = (principal: Principal) => (principal?.kind === 'user' ? principal.memberships : []);

// No organization has the id 0, and an empty list is not valid SQL.
const orNone = (ids: number[]) => (ids.length > 0 ? ids : [0]);

/** The organizations of which the caller is a member. Undefined for administrators: all. */
export function memberOrganizations(principal: Principal): number[] | undefined {
  if (principal?.isAdmin) return undefined;
  return orNone(membershipsOf(principal).map((one) => Number(one.organizationID)));
}

/**
 * The organizations whose records a list without an organization contains. Undefined for administrators: all. Others:
 * those of which the caller is a member who is not limited to applications.
 */
export function visibleOrganizations(principal: Principal): number[] | undefined {
  if (principal?.isAdmin) return undefined;
  const unlimited = membershipsOf(principal).filter(({ applicationIDs }) => applicationIDs.length === 0);
  return orNone(unlimited.map((one) => Number(one.organizationID)));
}

/** The organizations of which the caller sees only some applications, and those applications. */
export interface ApplicationLimit {
  readonly organizationIDs: readonly number[];
  readonly applicationIDs: readonly number[];
}

/** Undefined when no membership of the caller is limited to applications. */
export function applicationLimit(principal: Principal): ApplicationLimit | undefined {
  if (principal?.isAdmin) return undefined;
  const limited = membershipsOf(principal).filter(({ applicationIDs }) => applicationIDs.length > 0);
  if (limited.length === 0) return undefined;
  return {
    organizationIDs: limited.map((one) => Number(one.organizationID)),
    applicationIDs: limited.flatMap(({ applicationIDs }) => applicationIDs.map(Number)),
  };
}

/** The condition for rows of `application` that the limit leaves. */
export function isWithinLimit(kind: DatabaseKind, limit: ApplicationLimit): RawBuilder<boolean> {
  const isOther = sql<boolean>`not ${isInList(kind, 'application.organization_id', limit.organizationIDs)}`;
  return sql<boolean>`(${isOther} or ${isInList(kind, 'application.id', limit.applicationIDs)})`;
}
