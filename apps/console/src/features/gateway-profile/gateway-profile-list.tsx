import { query } from '../../api/queries.ts';
import { gatewaysWith } from '../../components/filters/list-links.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { CountLink } from '../../components/link/count-link.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { NetworkServerLink } from '../../components/link/network-server-link.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';
import { GatewayProfileHelp } from './gateway-profile-help.tsx';

/** A duration such as "30s" as "30 s". */
const secondsText = (duration: string | null | undefined) => duration?.replace(/s$/, ' s');

export function GatewayProfileList() {
  return (
    <ListPage
      of="gatewayProfile"
      actions={<GatewayProfileHelp />}
      search="Search by name"
      query={({ limit, offset, search, orderBy }) =>
        query('gatewayProfile', 'list', { limit, offset, search, orderBy, include: 'counts' })
      }
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.gatewayProfile.one(id)}>{name}</AppLink>,
        },
        { header: 'Network-server', sort: 'networkServerName', cell: (row) => <NetworkServerLink {...row} /> },
        {
          header: 'Gateways',
          align: 'right',
          width: 110,
          include: 'counts',
          cell: ({ id, gatewayCount }) => (
            <CountLink count={gatewayCount} to={paths.allGateways()} search={gatewaysWith('gatewayProfile', id)} />
          ),
        },
        {
          header: 'Stats interval',
          align: 'right',
          width: 130,
          include: 'counts',
          card: 'folded',
          cell: ({ statsInterval }) => secondsText(statsInterval),
        },
        { header: 'Last change', width: 140, card: 'folded', cell: ({ updatedAt }) => <LastSeen at={updatedAt} /> },
      ]}
      purpose="A gateway-profile configures the same channels on many gateways. It is optional."
    />
  );
}
