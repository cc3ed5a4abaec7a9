import { IconPlus, IconRouter } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { GatewayProfileHelp } from './gateway-profile-help.tsx';

export function GatewayProfileList() {
  const create = (
    <LinkButton to={paths.gatewayProfileCreate()} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title="Gateway-profiles"
        actions={
          <>
            <GatewayProfileHelp />
            {create}
          </>
        }
      />
      <ResourceList
        label="Gateway-profiles"
        query={({ limit, offset, orderBy }) => query('gatewayProfile', 'list', { limit, offset, orderBy })}
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            sort: 'name',
            primary: true,
            cell: ({ id, name }) => <AppLink to={paths.gatewayProfile(id)}>{name}</AppLink>,
          },
          {
            header: 'Network-server',
            sort: 'networkServerName',
            cell: ({ networkServerID, networkServerName }) => (
              <AppLink to={paths.networkServer(networkServerID)}>{networkServerName}</AppLink>
            ),
          },
        ]}
        empty={{
          icon: <IconRouter size={32} />,
          title: 'No gateway-profiles yet',
          text: 'A gateway-profile keeps the channels of many gateways the same. Gateways work without one, too.',
          action: create,
        }}
      />
    </>
  );
}
