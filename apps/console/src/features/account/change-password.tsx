import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { PasswordField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';

export function ChangePassword() {
  const { userID } = useIDs();
  const navigate = useNavigate();
  const form = useMessageForm('UpdateUserPasswordRequest', { values: { password: '' } });
  return (
    <Loaded query={useQuery(query('user', 'get', { id: userID }))}>
      {({ user }) => (
        <>
          <PageHeader crumbs={[{ label: user.email, to: paths.userPassword(userID) }]} title="Change password" />
          <MessageForm
            form={form}
            submit="Update password"
            onSubmit={({ password }) =>
              perform(api.user.updatePassword({ userId: userID, password }), { done: 'user has been updated' })
            }
            onSaved={() => void navigate({ to: paths.start() })}
          >
            <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
            <PasswordField name="password" autoComplete="new-password" />
          </MessageForm>
        </>
      )}
    </Loaded>
  );
}
