import { IconPlus, IconUsers } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { YesNo } from '../../components/status/yes-no.tsx';
import { paths } from '../../paths.ts';

export function UserList() {
  const create = (
    <LinkButton to={paths.userCreate()} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <PageHeader title="Users" actions={create} />
      <ResourceList
        label="Users"
        query={({ limit, offset, orderBy }) => query('user', 'list', { limit, offset, orderBy })}
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'Email',
            sort: 'email',
            primary: true,
            cell: ({ id, email }) => <AppLink to={paths.user(id)}>{email}</AppLink>,
          },
          {
            header: 'Active',
            sort: 'isActive',
            align: 'center',
            width: 120,
            cell: ({ isActive }) => <YesNo value={isActive} />,
          },
          {
            header: 'Admin',
            sort: 'isAdmin',
            align: 'center',
            width: 120,
            cell: ({ isAdmin }) => <YesNo value={isAdmin} />,
          },
        ]}
        empty={{
          icon: <IconUsers size={32} />,
          title: 'No users yet',
          text: 'A user signs in to the console. What one may see and do comes from the organizations one belongs to.',
          action: create,
        }}
      />
    </>
  );
}
