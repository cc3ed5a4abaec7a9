import { IconCpu, IconPlus } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

export function DeviceProfileList() {
  const { organizationID } = useIDs();
  const may = useMay();
  const create = may('deviceProfile.create') && (
    <LinkButton to={paths.deviceProfileCreate(organizationID)} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <PageHeader title="Device-profiles" actions={create} />
      <ResourceList
        label="Device-profiles"
        query={({ limit, offset, orderBy }) =>
          query('deviceProfile', 'list', { organizationID, limit, offset, orderBy })
        }
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            sort: 'name',
            primary: true,
            cell: ({ id, name }) => <AppLink to={paths.deviceProfile(organizationID, id)}>{name}</AppLink>,
          },
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
          icon: <IconCpu size={32} />,
          title: 'No device-profiles yet',
          text: 'A device-profile says what one kind of device can do: its LoRaWAN version, how it joins, its classes and how its payload is decoded.',
          action: create,
        }}
      />
    </>
  );
}
