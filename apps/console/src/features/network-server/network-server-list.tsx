import { IconPlus, IconServer2 } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';

export function NetworkServerList() {
  const add = (
    <LinkButton to={paths.networkServerCreate()} leftSection={<IconPlus size={16} />}>
      Add
    </LinkButton>
  );
  return (
    <>
      <PageHeader title="Network-servers" actions={add} />
      <ResourceList
        label="Network-servers"
        query={({ limit, offset, orderBy }) => query('networkServer', 'list', { limit, offset, orderBy })}
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            sort: 'name',
            primary: true,
            cell: ({ id, name }) => <AppLink to={paths.networkServer(id)}>{name}</AppLink>,
          },
          { header: 'Server', sort: 'server', cell: ({ server }) => <code>{server}</code> },
        ]}
        empty={{
          icon: <IconServer2 size={32} />,
          title: 'No network-servers yet',
          text: 'A network-server connects Hilltop to the gateways and devices of one region.',
          action: add,
        }}
      />
    </>
  );
}
