import { IconRouter } from '@tabler/icons-react';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { NetworkServerLink } from '../../components/link/network-server-link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { firstPage, type PageOf, useListPage } from '../../components/list/use-list-page.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { toneWords } from '../../components/status/gateway-tone.ts';
import { paths } from '../../paths.ts';
import { useCurrentOrganization, useMay } from '../../session/session.tsx';
import { GatewayActivity } from './gateway-activity.tsx';
import { GatewayState } from './gateway-state.tsx';

const gatewaysOf = (organizationID: string, { limit, offset, search, orderBy, filter }: PageOf<'gateway'>) =>
  query('gateway', 'list', { organizationID, limit, offset, search, orderBy, filter: filter ? [filter] : [] });

const sortable = ['lastSeenAt', 'name', 'id', 'networkServerName'] as const;
const filters = [
  ['state:is:online', toneWords.active],
  ['state:is:offline', toneWords.inactive],
  ['state:is:neverSeen', toneWords.never],
] as const;

const activityOf = (organizationID: string, { limit, offset, search, orderBy, filter }: PageOf<'gateway'>) =>
  query('gateway', 'list', {
    ...{ organizationID, limit, offset, search, orderBy, include: ['activity'] as const },
    filter: filter ? [filter] : [],
  });

export function GatewayList() {
  const { organizationID } = useIDs();
  const may = useMay();
  const organization = useCurrentOrganization();
  const page = useListPage(
    sortable,
    filters.map(([name]) => name),
  );
  if (organization?.canHaveGateways === false) {
    return (
      <>
        <PageHeader title="Gateways" />
        <EmptyState icon={<IconRouter size={32} />} title="This organization cannot have gateways">
          A global administrator can allow it in the configuration of the organization.
        </EmptyState>
      </>
    );
  }
  return (
    <ListPage
      of="gateway"
      refreshMs={10_000}
      query={(page) => gatewaysOf(organizationID, page)}
      filters={filters}
      search="Search by name or gateway ID"
      columns={[
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
          cell: ({ id, name }) => <AppLink to={paths.gateway.one(organizationID, id)}>{name}</AppLink>,
        },
        {
          header: 'Gateway ID',
          fit: true,
          card: 'plain',
          sort: 'id',
          cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} />,
        },
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
          cell: ({ id }) => <GatewayActivity gatewayID={id} page={activityOf(organizationID, page)} />,
        },
      ]}
      actions={
        may('connecting.get', organizationID) && (
          <LinkButton to={paths.gatewayConnect(organizationID)} title="Step by step">
            Connect a gateway
          </LinkButton>
        )
      }
      purpose="Gateways receive what devices send and pass it on to the network-server."
    />
  );
}

GatewayList.ask = ({ organizationID }: IDs) => prefetch(gatewaysOf(organizationID, firstPage()));
