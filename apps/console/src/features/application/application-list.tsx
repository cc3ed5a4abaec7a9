import type { ApplicationListItem } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { devicesWith } from '../../components/filters/list-links.ts';
import { CountLink } from '../../components/link/count-link.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
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

const neverSeenOf = ({ deviceCount = 0, activeCount = 0, inactiveCount = 0 }: ApplicationListItem) =>
  deviceCount - activeCount - inactiveCount;

/** A number of devices, which leads to the list of them. */
function counted(
  header: string,
  countOf: (one: ApplicationListItem) => number | undefined,
  { search, isFolded = true }: { search?: { filter: string }; isFolded?: boolean } = {},
): Column<ApplicationListItem, never> {
  return {
    header,
    align: 'right',
    include: 'counts',
    ...(isFolded && { card: 'folded' }),
    cell: (one) => (
      <CountLink
        count={countOf(one) ?? 0}
        to={paths.application.one(one.organizationID, one.id)}
        {...(search && { search })}
      />
    ),
  };
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
        counted('Devices', ({ deviceCount }) => deviceCount, { isFolded: false }),
        counted('Active', ({ activeCount }) => activeCount, { search: devicesWith('state', 'active') }),
        counted('Inactive', ({ inactiveCount }) => inactiveCount, { search: devicesWith('state', 'inactive') }),
        counted('Never seen', neverSeenOf, { search: devicesWith('state', 'neverSeen') }),
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
