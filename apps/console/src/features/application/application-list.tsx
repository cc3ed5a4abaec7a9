import { IconAppWindow, IconPlus } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

export function ApplicationList() {
  const { organizationID } = useIDs();
  const may = useMay();
  const create = may('application.create') && (
    <LinkButton to={paths.applicationCreate(organizationID)} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <PageHeader title="Applications" actions={create} />
      <ResourceList
        label="Applications"
        search="Search by name"
        query={({ limit, offset, search, orderBy }) =>
          query('application', 'list', { organizationID, limit, offset, search, orderBy })
        }
        rowKey={({ id }) => id}
        columns={[
          { header: 'ID', sort: 'id', width: 70, cell: ({ id }) => <span className="number">{id}</span> },
          {
            header: 'Name',
            sort: 'name',
            primary: true,
            cell: ({ id, name }) => <AppLink to={paths.application(organizationID, id)}>{name}</AppLink>,
          },
          {
            header: 'Service-profile',
            sort: 'serviceProfileName',
            cell: ({ serviceProfileID, serviceProfileName }) => (
              <AppLink to={paths.serviceProfile(organizationID, serviceProfileID)}>{serviceProfileName}</AppLink>
            ),
          },
          { header: 'Description', sort: 'description', cell: ({ description }) => description },
        ]}
        empty={{
          icon: <IconAppWindow size={32} />,
          title: 'No applications yet',
          text: 'An application holds devices that belong together, and decides where their data goes.',
          action: create,
        }}
      />
    </>
  );
}
