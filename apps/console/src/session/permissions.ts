import type { AccessCase, OrganizationLink, User } from '@hilltop/contract';
import { decide } from '@hilltop/contract/client';
import { rulesOf } from '../api/contract-facts.ts';
import type { OperationName } from '../api/facts.ts';

interface Person {
  user: User;
  organizations: readonly OrganizationLink[];
}

/**
 * Whether a user may call an operation in an organization: the access rule of the contract applied to the profile.
 * Conditions that the console cannot know (limits, links to network-servers) are left to the server.
 */
export function mayCall(
  { user, organizations }: Person,
  operation: OperationName,
  organizationID?: string,
  userID?: string,
): boolean {
  const principal = {
    kind: 'user',
    id: user.id,
    isAdmin: user.isAdmin,
    isActive: user.isActive,
    memberships: organizations.map((one) => ({ ...one, isReadOnly: false, applicationIDs: [] })),
  } as const;
  const subject = {
    organizationIDs: organizationID === undefined ? [] : [organizationID],
    ...(userID !== undefined && { userID }),
  };
  const { access, effect } = rulesOf(operation);
  return access.cases.some(
    ({ needs: _known_to_the_server, ...one }: AccessCase) => decide(principal, effect, one, subject) === 'allowed',
  );
}
