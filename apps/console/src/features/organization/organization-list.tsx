import { IconBuilding, IconPlus } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { YesNo } from '../../components/status/yes-no.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

export function OrganizationList() {
  const may = useMay();
  const create = may('organization.create') && (
    <LinkButton to={paths.organizationCreate()} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <PageHeader title="Organizations" actions={create} />
      <ResourceList
        label="Organizations"
        search="Search by name"
        query={({ limit, offset, search, orderBy }) =>
          query('organization', 'list', { limit, offset, search, orderBy })
        }
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Name',
            sort: 'name',
            primary: true,
            cell: ({ id, name }) => <AppLink to={paths.organization(id)}>{name}</AppLink>,
          },
          { header: 'Display name', sort: 'displayName', cell: ({ displayName }) => displayName },
          {
            header: 'Can have gateways',
            sort: 'canHaveGateways',
            align: 'center',
            cell: ({ canHaveGateways }) => <YesNo value={canHaveGateways} />,
          },
        ]}
        empty={{
          icon: <IconBuilding size={32} />,
          title: 'No organizations yet',
          text: 'An organization owns gateways, profiles and applications, and decides who may see and change them.',
          action: create,
        }}
      />
    </>
  );
}
