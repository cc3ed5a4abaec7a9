import { query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
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
        { header: 'Gateways', align: 'right', width: 110, include: 'counts', cell: ({ gatewayCount }) => gatewayCount },
        { header: 'Devices', align: 'right', width: 110, include: 'counts', cell: ({ deviceCount }) => deviceCount },
        { header: 'Last change', width: 140, card: 'folded', cell: ({ updatedAt }) => <LastSeen at={updatedAt} /> },
      ]}
      purpose="A network-server connects Hilltop to the gateways and devices of one region."
    />
  );
}
