import { IconPlus, IconShieldCheck } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

export function ServiceProfileList() {
  const { organizationID } = useIDs();
  const may = useMay();
  const create = may('serviceProfile.create') && (
    <LinkButton to={paths.serviceProfileCreate(organizationID)} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <PageHeader title="Service-profiles" actions={create} />
      <ResourceList
        label="Service-profiles"
        query={({ limit, offset, orderBy }) =>
          query('serviceProfile', 'list', { organizationID, limit, offset, orderBy })
        }
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            sort: 'name',
            primary: true,
            cell: ({ id, name }) => <AppLink to={paths.serviceProfile(organizationID, id)}>{name}</AppLink>,
          },
          { header: 'ID', cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} /> },
          {
            header: 'Network-server',
            sort: 'networkServerName',
            cell: ({ networkServerID, networkServerName }) =>
              may('networkServer.update') ? (
                <AppLink to={paths.networkServer(networkServerID)}>{networkServerName}</AppLink>
              ) : (
                networkServerName
              ),
          },
        ]}
        empty={{
          icon: <IconShieldCheck size={32} />,
          title: 'No service-profiles yet',
          text: 'A service-profile connects the organization to a network-server and decides which of its features it may use.',
          action: create,
        }}
      />
    </>
  );
}
