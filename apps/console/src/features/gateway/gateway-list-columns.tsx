import type { GatewayListItem } from '@hilltop/contract';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { NetworkServerLink } from '../../components/link/network-server-link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import type { OptionalColumns } from '../../components/list/use-columns.ts';
import { paths } from '../../paths.ts';
import { GatewayActivity } from './gateway-activity.tsx';
import { GatewayState } from './gateway-state.tsx';
import type { gatewaysOf } from './gateways-of.ts';

type Field = 'lastSeenAt' | 'name' | 'id' | 'networkServerName' | 'createdAt' | 'firstSeenAt';
type GatewayColumn = Column<GatewayListItem, Field>;

/** The columns of a list of gateways; `activity` reads the activity of a page of it, `owners` follow the ID. */
export const gatewayListColumns = (
  activity: ReturnType<typeof gatewaysOf>,
  owners: GatewayColumn[] = [],
): GatewayColumn[] => [
  {
    header: 'Last seen',
    card: 'plain',
    sort: 'lastSeenAt',
    width: 120,
    cell: ({ lastSeenAt }) => <LastSeen at={lastSeenAt} />,
  },
  {
    header: 'Status',
    width: 120,
    card: 'aside',
    cell: ({ lastSeenAt }) => <GatewayState lastSeenAt={lastSeenAt} />,
  },
  {
    header: 'Name',
    sort: 'name',
    primary: true,
    cell: ({ id, name, organizationID }) => <AppLink to={paths.gateway.one(organizationID, id)}>{name}</AppLink>,
  },
  {
    header: 'Gateway ID',
    fit: true,
    card: 'plain',
    sort: 'id',
    cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} />,
  },
  ...owners,
  {
    header: 'Network server',
    card: 'folded',
    sort: 'networkServerName',
    cell: (row) => <NetworkServerLink {...row} />,
  },
  {
    header: 'Gateway activity (30d)',
    card: 'cut',
    width: 260,
    cell: ({ id }) => <GatewayActivity gatewayID={id} page={activity} />,
  },
];

/** Columns of lists of gateways that users can add. */
export const optionalGatewayColumns: OptionalColumns<GatewayListItem, Field> = {
  list: 'gateways',
  tagsOf: ({ tags }) => tags,
  columns: [
    { id: 'description', header: 'Description', share: 2, card: 'folded', cell: ({ description }) => description },
    {
      id: 'firstSeenAt',
      header: 'First seen',
      sort: 'firstSeenAt',
      width: 120,
      card: 'folded',
      cell: ({ firstSeenAt }) => <LastSeen at={firstSeenAt} />,
    },
    {
      id: 'createdAt',
      header: 'Created',
      sort: 'createdAt',
      width: 120,
      card: 'folded',
      cell: ({ createdAt }) => <LastSeen at={createdAt} />,
    },
  ],
};
