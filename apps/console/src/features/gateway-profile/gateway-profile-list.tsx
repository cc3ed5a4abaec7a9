import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import { NetworkServerLink } from '../../components/link/network-server-link.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';
import { GatewayProfileHelp } from './gateway-profile-help.tsx';

export function GatewayProfileList() {
  return (
    <ListPage
      of="gatewayProfile"
      actions={<GatewayProfileHelp />}
      query={({ limit, offset, orderBy }) => query('gatewayProfile', 'list', { limit, offset, orderBy })}
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.gatewayProfile.one(id)}>{name}</AppLink>,
        },
        { header: 'Network-server', sort: 'networkServerName', cell: (row) => <NetworkServerLink {...row} /> },
      ]}
      purpose="A gateway-profile configures the same channels on many gateways. It is optional."
    />
  );
}
