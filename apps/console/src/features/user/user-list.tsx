import { query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { YesNo } from '../../components/status/yes-no.tsx';
import { paths } from '../../paths.ts';

export function UserList() {
  return (
    <ListPage
      of="user"
      search="Search by e-mail"
      query={({ limit, offset, search, orderBy }) =>
        query('user', 'list', { limit, offset, search, orderBy, include: ['counts', 'secondFactor'] })
      }
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
        {
          header: 'Second factor',
          align: 'center',
          width: 130,
          include: 'secondFactor',
          cell: ({ hasSecondFactor = false }) => <YesNo value={hasSecondFactor} />,
        },
        {
          header: 'Organizations',
          align: 'right',
          width: 130,
          include: 'counts',
          cell: ({ organizationCount }) => organizationCount,
        },
        {
          header: 'Created',
          sort: 'createdAt',
          width: 140,
          card: 'folded',
          cell: ({ createdAt }) => <LastSeen at={createdAt} />,
        },
      ]}
      purpose="A user signs in to the console. Organization memberships decide what a user may see and do."
    />
  );
}
