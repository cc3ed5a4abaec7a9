import { IconBuilding } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useRouterState } from '@tanstack/react-router';
import { query } from '../../api/queries.ts';
import { LinkButton } from '../../components/link/link.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { readOrganizationID } from '../../session/storage.ts';

/** The entry page: redirects to the last selected organization if it still exists, otherwise to the first. */
export function Start() {
  const may = useMay();
  const stored = readOrganizationID();
  const last = useQuery({
    ...query('organization', 'get', { id: stored ?? '' }),
    enabled: stored !== undefined,
    retry: false,
  });
  const first = useQuery({
    ...query('organization', 'list', { limit: 1, offset: 0 }),
    enabled: stored === undefined || last.isError,
  });
  if (last.data && !last.isError) return <Onward to={paths.organization.one(last.data.organization.id)} />;
  return (
    <Loaded query={first} skeleton={null}>
      {({ result: [organization] }) => {
        if (organization) return <Onward to={paths.organization.one(organization.id)} />;
        if (may('organization.create')) return <Onward to={paths.organization.list()} />;
        return (
          <>
            <PageHeader title="Welcome" />
            <EmptyState
              icon={<IconBuilding size={32} />}
              title="You are not a member of any organization"
              action={<LinkButton to={paths.login()}>Sign in with another account</LinkButton>}
            >
              Ask an organization administrator to add your account.
            </EmptyState>
          </>
        );
      }}
    </Loaded>
  );
}

/** Redirects, unless the user has opened another page in the meantime. */
function Onward({ to }: { to: string }) {
  const isHere = useRouterState({ select: ({ location }) => location.pathname === paths.start() });
  return isHere && <Navigate to={to} replace />;
}
