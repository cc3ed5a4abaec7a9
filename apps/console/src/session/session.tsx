import type { OwnLimits, Profile, Settings } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import { isGone } from '../api/client.ts';
import type { OperationName } from '../api/facts.ts';
import { query } from '../api/queries.ts';
import { applicationOf, organizationOf } from '../paths.ts';
import { mayCall } from './permissions.ts';
import { readOrganizationID, storeOrganizationID } from './storage.ts';

export interface Session {
  user: Profile['user'];
  organizations: Profile['organizations'];
  settings: Settings;
  /** The organization of the URL, or the last selected one. */
  organizationID: string | undefined;
  /** The restrictions of the user there, once they are known. */
  limits: (OwnLimits & { organizationID: string }) | undefined;
  /** The application of the URL. */
  applicationID: string | undefined;
}

const SessionContext = createContext<Session | null>(null);

/** Provides the signed-in user to all components below. */
export function SessionProvider({
  profile,
  settings,
  children,
}: {
  profile: Profile;
  settings: Settings;
  children: ReactNode;
}) {
  const inAddress = useRouterState({ select: ({ location }) => organizationOf(location.pathname) });
  const applicationID = useRouterState({ select: ({ location }) => applicationOf(location.pathname) });
  const organizationID = inAddress ?? readOrganizationID();
  useEffect(() => {
    if (inAddress) storeOrganizationID(inAddress);
  }, [inAddress]);
  const { data } = useQuery(organizationQuery(organizationID));
  const session = useMemo(() => {
    const limits = data?.limits ? { ...data.limits, organizationID: data.organization.id } : undefined;
    return {
      user: profile.user,
      organizations: profile.organizations,
      settings,
      organizationID,
      limits,
      applicationID,
    };
  }, [profile, settings, organizationID, data, applicationID]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('Sign in to see this page.');
  return session;
}

/** Whether the user may call an operation in an organization; the current one by default. */
export function useMay(): (operation: OperationName, organizationID?: string) => boolean {
  const session = useSession();
  return (operation, organizationID = session.organizationID) => mayCall(session, operation, organizationID);
}

/** Refetched whenever the window gets the focus, because the rights of the user may have changed. */
const organizationQuery = (organizationID: string | undefined) => ({
  ...query('organization', 'get', { id: organizationID ?? '', include: 'limits' }),
  enabled: organizationID !== undefined,
  refetchOnWindowFocus: true,
});

/** The query of the current organization. */
export function useOrganizationQuery() {
  return useQuery(organizationQuery(useSession().organizationID));
}

/**
 * Whether the restrictions of the user in the current organization are known. Administrators have none; for others
 * `useMay` assumes none until they are, so what it allows must not be requested yet.
 */
export function useKnowsLimits(): boolean {
  const { user, organizations, organizationID } = useSession();
  const { isPending } = useOrganizationQuery();
  const isAdmin = user.isAdmin || organizations.some((one) => one.organizationID === organizationID && one.isAdmin);
  return isAdmin || organizationID === undefined || !isPending;
}

/** The current organization, or undefined while loading, when none is selected, and when it was deleted. */
export function useCurrentOrganization() {
  const { data, error } = useOrganizationQuery();
  return isGone(error) ? undefined : data?.organization;
}

/**
 * What the navigation needs of the current organization. While it loads, what most organizations have, so that the
 * entries below keep their position.
 */
export function useOrganizationOutline(): { id: string; canHaveGateways: boolean } | undefined {
  const { organizationID: id } = useSession();
  const { isPending } = useOrganizationQuery();
  const organization = useCurrentOrganization();
  return isPending && id !== undefined ? { id, canHaveGateways: true } : organization;
}
