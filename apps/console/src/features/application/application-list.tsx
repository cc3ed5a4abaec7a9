import type { ApplicationListItem } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { ListPage } from '../../components/resource/list-page.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';

const applicationsOf = (organizationID: string, { limit, offset, search, orderBy }: PageOf<'application'>) =>
  query('application', 'list', { organizationID, limit, offset, search, orderBy, include: 'counts' });

/** Whether the integrations of the application deliver. */
function IntegrationsState({ integrationCount = 0, troubledIntegrationCount = 0 }: ApplicationListItem) {
  if (integrationCount === 0) return <Text c="dimmed">None</Text>;
  if (troubledIntegrationCount === 0) return <Status tone="active">{`${integrationCount} healthy`}</Status>;
  return <Status tone="attention">{`${troubledIntegrationCount} of ${integrationCount} failing`}</Status>;
}

export function ApplicationList() {
  const { organizationID } = useIDs();
  return (
    <ListPage
      of="application"
      search="Search by name"
      query={(page) => applicationsOf(organizationID, page)}
      columns={[
        {
          header: 'ID',
          card: 'folded',
          sort: 'id',
          align: 'right',
          width: 60,
          cell: ({ id }) => <span className="number">{id}</span>,
        },
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.application.one(organizationID, id)}>{name}</AppLink>,
        },
        {
          header: 'Service-profile',
          card: 'folded',
          sort: 'serviceProfileName',
          cell: ({ serviceProfileID, serviceProfileName }) => (
            <AppLink to={paths.serviceProfile.one(organizationID, serviceProfileID)}>{serviceProfileName}</AppLink>
          ),
        },
        { header: 'Description', share: 2, card: 'cut', sort: 'description', cell: ({ description }) => description },
        { header: 'Devices', align: 'right', include: 'counts', cell: ({ deviceCount }) => deviceCount },
        { header: 'Active', align: 'right', card: 'folded', include: 'counts', cell: ({ activeCount }) => activeCount },
        {
          header: 'Inactive',
          align: 'right',
          card: 'folded',
          include: 'counts',
          cell: ({ id, inactiveCount = 0 }) =>
            inactiveCount === 0 ? (
              0
            ) : (
              <AppLink to={`${paths.application.one(organizationID, id)}?filter=inactive`}>{inactiveCount}</AppLink>
            ),
        },
        {
          header: 'Uplinks today',
          align: 'right',
          card: 'folded',
          include: 'counts',
          cell: ({ uplinkCount = 0 }) => uplinkCount.toLocaleString(),
        },
        {
          header: 'Integrations',
          width: 120,
          card: 'folded',
          include: 'counts',
          cell: (row) => <IntegrationsState {...row} />,
        },
      ]}
      purpose="An application groups devices and forwards their data."
    />
  );
}

ApplicationList.ask = ({ organizationID }: IDs) => prefetch(applicationsOf(organizationID, firstPage()));
