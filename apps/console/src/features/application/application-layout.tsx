import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { HeaderSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { DeleteResource } from '../../components/resource/delete-resource.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { useTroubled } from '../../components/status/delivery-state.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

const applicationOf = (id: string) => query('application', 'get', { id });

// Prefetches the list of devices below it.
void api.preload('application', 'device');

export function ApplicationLayout() {
  const { organizationID, applicationID } = useIDs();
  const may = useMay();
  const troubled = useTroubled(organizationID).filter((one) => one.applicationID === applicationID).length;
  return (
    <Loaded query={useQuery(applicationOf(applicationID))} skeleton={<HeaderSkeleton />} below={<Outlet />}>
      {({ application }) => (
        <PageHeader
          crumbs={[{ label: 'Applications', to: paths.application.list(organizationID) }]}
          title={application.name}
          actions={
            <DeleteResource
              of="application"
              id={applicationID}
              name={application.name}
              mustType
              gone={['device', 'multicastGroup']}
              warning="This will also delete all devices of this application!"
            />
          }
          tabs={[
            { label: 'Devices', to: paths.application.one(organizationID, applicationID), exact: true },
            { label: 'Multicast groups', to: paths.multicastGroup.list(organizationID, applicationID) },
            {
              label: 'Application configuration',
              to: paths.applicationEdit(organizationID, applicationID),
              hidden: !may('application.update'),
            },
            {
              label: troubled > 0 ? `Integrations (${troubled} in trouble)` : 'Integrations',
              to: paths.integrations(organizationID, applicationID),
              hidden: !may('application.listIntegrations'),
            },
          ]}
        />
      )}
    </Loaded>
  );
}

ApplicationLayout.ask = ({ applicationID }: IDs) => prefetch(applicationOf(applicationID));
