import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { YesNo } from '../../components/status/yes-no.tsx';
import { paths } from '../../paths.ts';

export function UserList() {
  return (
    <ListPage
      of="user"
      query={({ limit, offset, orderBy }) => query('user', 'list', { limit, offset, orderBy })}
      columns={[
        {
          header: 'Email',
          sort: 'email',
          primary: true,
          cell: ({ id, email }) => <AppLink to={paths.user.one(id)}>{email}</AppLink>,
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
      purpose="A user signs in to the console. Organization memberships decide what a user may see and do."
    />
  );
}
