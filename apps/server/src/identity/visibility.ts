import type { Principal } from './principals.ts';

/**
 * The organizations whose records a list without an organization contains. Undefined for administrators: all. Others:
 * those of which the caller is a member.
 */
export function visibleOrganizations(principal: Principal): number[] | undefined {
  if (principal?.isAdmin) return undefined;
  const own = principal?.kind === 'user' ? principal.memberships.map((one) => Number(one.organizationID)) : [];
  // No organization has the id 0, and an empty list is not valid SQL.
  return own.length > 0 ? own : [0];
}
