import { query } from '../../api/queries.ts';
import { devicesWith, gatewaysWith } from '../../components/filters/list-links.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { CountLink } from '../../components/link/count-link.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';

export function NetworkServerList() {
  return (
    <ListPage
      of="networkServer"
      verb="Add"
      search="Search by name"
      query={({ limit, offset, search, orderBy }) =>
        query('networkServer', 'list', { limit, offset, search, orderBy, include: 'counts' })
      }
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.networkServer.one(id)}>{name}</AppLink>,
        },
        { header: 'Server', sort: 'server', cell: ({ server }) => <code>{server}</code> },
        {
          header: 'Gateways',
          align: 'right',
          width: 110,
          include: 'counts',
          cell: ({ id, gatewayCount }) => (
            <CountLink count={gatewayCount} to={paths.allGateways()} search={gatewaysWith('networkServer', id)} />
          ),
        },
        {
          header: 'Devices',
          align: 'right',
          width: 110,
          include: 'counts',
          cell: ({ id, deviceCount }) => (
            <CountLink count={deviceCount} to={paths.allDevices()} search={devicesWith('networkServer', id)} />
          ),
        },
        { header: 'Last change', width: 140, card: 'folded', cell: ({ updatedAt }) => <LastSeen at={updatedAt} /> },
      ]}
      purpose="A network-server connects Hilltop to the gateways and devices of one region."
    />
  );
}
