import { IconPlus, IconRouter } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { EmptyState } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import { useCurrentOrganization, useMay } from '../../session/session.tsx';
import { GatewayActivity } from './gateway-activity.tsx';

export function GatewayList() {
  const { organizationID } = useIDs();
  const may = useMay();
  const organization = useCurrentOrganization();
  const create = may('gateway.create') && (
    <LinkButton to={paths.gatewayCreate(organizationID)} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
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
    <>
      <PageHeader title="Gateways" actions={create} />
      <ResourceList
        label="Gateways"
        refreshMs={10_000}
        query={({ limit, offset, search, orderBy }) =>
          query('gateway', 'list', { organizationID, limit, offset, search, orderBy })
        }
        search="Search by name or gateway ID"
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Last seen',
            sort: 'lastSeenAt',
            width: 140,
            cell: ({ lastSeenAt }) => <LastSeen at={lastSeenAt} />,
          },
          {
            header: 'Name',
            sort: 'name',
            primary: true,
            cell: ({ id, name }) => <AppLink to={paths.gateway(organizationID, id)}>{name}</AppLink>,
          },
          {
            header: 'Gateway ID',
            sort: 'id',
            cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} />,
          },
          {
            header: 'Network server',
            sort: 'networkServerName',
            cell: ({ networkServerID, networkServerName }) =>
              may('networkServer.update') ? (
                <AppLink to={paths.networkServer(networkServerID)}>{networkServerName}</AppLink>
              ) : (
                networkServerName
              ),
          },
          { header: 'Gateway activity (30d)', width: 400, cell: ({ id }) => <GatewayActivity gatewayID={id} /> },
        ]}
        empty={{
          title: 'No gateways yet',
          text: 'Gateways receive what devices send and pass it on to the network-server.',
          icon: <IconRouter size={32} />,
          action: create,
        }}
      />
    </>
  );
}
