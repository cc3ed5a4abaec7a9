import { useMatches, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import type { OperationName } from '../api/facts.ts';
import { NoPermission, NotFound } from '../components/states/error-pages.tsx';
import { FormPageSkeleton } from '../components/states/form-skeleton.tsx';
import { organizationOf } from '../paths.ts';
import { useKnowsLimits, useMay, useOrganizationQuery } from '../session/session.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The operation (`gateway.update`) that the user must be allowed to call to see the screen. */
    access?: OperationName;
  }
}

/**
 * Renders the page once the restrictions of the user are known, or an error: the user has no permission for one of its
 * screens, or the organization does not exist.
 */
export function AccessGuard({ children }: { children: ReactNode }) {
  const may = useMay();
  const asked = useMatches({ select: (matches) => matches.map(({ staticData }) => staticData.access) });
  const isInside = useRouterState({ select: ({ location }) => organizationOf(location.pathname) !== undefined });
  const knowsLimits = useKnowsLimits();
  const { error } = useOrganizationQuery();
  const { code, reason } = isInside && error instanceof ApiError ? error : { code: 0, reason: '' };
  if (code === 5) return <NotFound />;
  if (code === 7) return <NoPermission reason={reason} />;
  if (asked.some((operation) => operation !== undefined && !may(operation))) return <NoPermission />;
  // The page would request what the restrictions of the user refuse.
  if (isInside && !knowsLimits) return <FormPageSkeleton />;
  return children;
}
