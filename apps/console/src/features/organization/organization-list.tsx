import { query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { CountLink } from '../../components/link/count-link.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { YesNo } from '../../components/status/yes-no.tsx';
import { paths } from '../../paths.ts';

export function OrganizationList() {
  return (
    <ListPage
      of="organization"
      search="Search by name"
      query={({ limit, offset, search, orderBy }) =>
        query('organization', 'list', { limit, offset, search, orderBy, include: 'counts' })
      }
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.organization.one(id)}>{name}</AppLink>,
        },
        {
          header: 'Display name',
          card: 'cut',
          sort: 'displayName',
          usual: true,
          cell: ({ displayName }) => displayName,
        },
        {
          header: 'Can have gateways',
          card: 'folded',
          sort: 'canHaveGateways',
          align: 'center',
          cell: ({ canHaveGateways }) => <YesNo value={canHaveGateways} />,
        },
        {
          header: 'Gateways',
          align: 'right',
          width: 100,
          include: 'counts',
          cell: ({ id, gatewayCount }) => <CountLink count={gatewayCount} to={paths.gateway.list(id)} />,
        },
        {
          header: 'Devices',
          align: 'right',
          width: 100,
          include: 'counts',
          cell: ({ id, deviceCount }) => <CountLink count={deviceCount} to={paths.organizationDevices(id)} />,
        },
        {
          header: 'Users',
          align: 'right',
          width: 90,
          include: 'counts',
          card: 'folded',
          cell: ({ id, userCount }) => <CountLink count={userCount} to={paths.organizationUser.list(id)} />,
        },
        {
          header: 'Created',
          sort: 'createdAt',
          width: 140,
          card: 'folded',
          cell: ({ createdAt }) => <LastSeen at={createdAt} />,
        },
      ]}
      purpose="An organization owns gateways, profiles and applications. Its members can view and change them."
    />
  );
}
