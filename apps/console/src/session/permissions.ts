import type { Access, AccessCase, OrganizationLink, OwnLimits, SubjectFacts, User } from '@hilltop/contract';
import { decide } from '@hilltop/contract/client';
import { rulesOf } from '../api/contract-facts.ts';
import type { OperationName } from '../api/facts.ts';

interface Person {
  user: User;
  organizations: readonly OrganizationLink[];
  /** The restrictions of the user in the organization of the page, as far as they are known. */
  limits?: (OwnLimits & { organizationID: string }) | undefined;
  /** The application of the page. */
  applicationID?: string | undefined;
}

const noLimits: OwnLimits = { isReadOnly: false, applicationIDs: [] };

/** What the console knows about the record of a case. Shared profiles are assumed to be those of the own devices. */
function subjectOf({ on }: AccessCase, operation: OperationName, person: Person, ids: SubjectFacts): SubjectFacts {
  if (on === 'application' || on === 'device' || on === 'multicastGroup')
    return { ...ids, ...(person.applicationID !== undefined && { applicationID: person.applicationID }) };
  const isProfile = on.endsWith('Profile') || (on === 'record' && /Profile\./.test(operation));
  return isProfile ? { ...ids, usedBy: person.limits?.applicationIDs ?? [] } : ids;
}

/** The cases that a call in an organization can meet: what depends on the organization is not asked for without it. */
function casesIn({ rule, cases }: Access, organizationID: string | undefined): readonly AccessCase[] {
  const names = cases.some(({ when }) => when === 'organizationID');
  const isNamed = rule === 'first' && names && organizationID !== undefined;
  return isNamed ? cases.filter(({ when }) => when !== undefined) : cases;
}

/**
 * Whether a user may call an operation in an organization: the access rule of the contract applied to the profile.
 * Conditions that the console cannot know (limits, links to network-servers) are left to the server.
 */
export function mayCall(person: Person, operation: OperationName, organizationID?: string, userID?: string): boolean {
  const { user, organizations, limits } = person;
  const principal = {
    kind: 'user',
    id: user.id,
    isAdmin: user.isAdmin,
    isActive: user.isActive,
    memberships: organizations.map((one) => ({
      ...one,
      ...(one.organizationID === limits?.organizationID ? limits : noLimits),
    })),
  } as const;
  const ids = {
    organizationIDs: organizationID === undefined ? [] : [organizationID],
    ...(userID !== undefined && { userID }),
  };
  const { access, effect } = rulesOf(operation);
  return casesIn(access, organizationID).some(
    ({ needs: _known_to_the_server, ...one }: AccessCase) =>
      decide(principal, effect, one, subjectOf(one, operation, person, ids)) === 'allowed',
  );
}
