import type { Principal } from './principals.ts';

/**
 * The organizations whose rows a list without an organization shows: undefined is all of them, for administrators;
 * others see those they are a member of.
 */
export function visibleOrganizations(principal: Principal): number[] | undefined {
  if (principal?.isAdmin) return undefined;
  const own = principal?.kind === 'user' ? principal.memberships.map((one) => Number(one.organizationID)) : [];
  // No organization has the id 0: an empty list is not valid SQL.
  return own.length > 0 ? own : [0];
}
