import { Navigate, Outlet } from '@tanstack/react-router';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { DeletedAlong } from '../../components/confirm/deleted-along.tsx';
import { LastChangedLine } from '../../components/last-changed/last-changed.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { HeaderSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { DeleteResource } from '../../components/resource/delete-resource.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { Restorable } from '../../components/trash/restorable.tsx';
import { paths } from '../../paths.ts';
import { useMay, useOrganizationQuery } from '../../session/session.tsx';
import { storeOrganizationID } from '../../session/storage.ts';

export function OrganizationLayout() {
  const { organizationID } = useIDs();
  const may = useMay();
  const mayRestore = may('trash.list', organizationID);
  const hasTrash = useOffered('trash', 'list');
  const hasJobs = useOffered('job', 'list');
  const organization = useOrganizationQuery();
  // Somebody limited to applications has no dashboard of the organization.
  if (!may('attention.list', organizationID)) return <Navigate to={paths.application.list(organizationID)} replace />;
  return (
    <Loaded isPage query={organization} skeleton={<HeaderSkeleton hasFacts={false} />} below={<Outlet />}>
      {({ organization }) => (
        <PageHeader
          crumbs={[{ label: 'Organizations', to: paths.organization.list() }]}
          title={organization.displayName || organization.name}
          badges={<LastChangedLine />}
          actions={
            <DeleteResource
              of="organization"
              id={organizationID}
              name={organization.name}
              mustType
              note={
                <>
                  This also deletes its gateways, profiles, applications, devices and API keys.{' '}
                  <DeletedAlong counted={countedOf(organizationID)} /> <Restorable subject="They" />
                </>
              }
              onGone={() => storeOrganizationID(undefined)}
            />
          }
          tabs={[
            { label: 'Dashboard', to: paths.organization.one(organizationID), exact: true },
            { label: 'Configuration', to: paths.organizationEdit(organizationID) },
            { label: 'Jobs', to: paths.jobs(organizationID), hidden: !hasJobs },
            { label: 'Trash', to: paths.organizationTrash(organizationID), hidden: !mayRestore || !hasTrash },
          ]}
        />
      )}
    </Loaded>
  );
}

const countedOf = (organizationID: string) => [
  { noun: 'gateway', read: query('gateway', 'list', { organizationID, limit: 0, offset: 0 }) },
  { noun: 'application', read: query('application', 'list', { organizationID, limit: 0, offset: 0 }) },
  { noun: 'device-profile', read: query('deviceProfile', 'list', { organizationID, limit: 0, offset: 0 }) },
];
