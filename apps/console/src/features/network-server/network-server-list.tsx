import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';

export function NetworkServerList() {
  return (
    <ListPage
      of="networkServer"
      verb="Add"
      query={({ limit, offset, orderBy }) => query('networkServer', 'list', { limit, offset, orderBy })}
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.networkServer.one(id)}>{name}</AppLink>,
        },
        { header: 'Server', sort: 'server', cell: ({ server }) => <code>{server}</code> },
      ]}
      purpose="A network-server connects Hilltop to the gateways and devices of one region."
    />
  );
}
