import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { UserForm } from './user-form.tsx';

export function UserCreate() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader crumbs={[{ label: 'Users', to: paths.user.list() }]} title="Create user" />
      <UserForm
        initial={{ id: '0', email: '', note: '', sessionTTL: 0, isActive: true, isAdmin: false }}
        isNew
        submit="Create user"
        onSubmit={({ user, password }) =>
          perform(api.user.create({ user, password, organizations: [] }), {
            changed: ['user'],
            done: 'user has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.user.list() })}
      />
    </>
  );
}
