import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { PasswordField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay, useSession } from '../../session/session.tsx';
import { storeToken } from '../../session/storage.ts';
import { needsCode } from '../../sign-in/needs-code.ts';

/** `why=generated`: the server refuses everything else until the user has chosen a password. */
export function ChangePassword() {
  const { userID } = useIDs();
  const { why }: { why?: string } = useSearch({ strict: false });
  const isGenerated = why === 'generated';
  const session = useSession();
  const may = useMay();
  const navigate = useNavigate();
  const form = useMessageForm('UpdateUserPasswordRequest', { values: { password: '', oldPassword: '' } });
  const isOwn = session.user.id === userID;
  const bySingleSignOn = session.settings.openidConnect.enabled;

  async function change(email: string, { password, oldPassword }: { password: string; oldPassword: string }) {
    await api.user.updatePassword({ userId: userID, password, ...(oldPassword !== '' && { oldPassword }) });
    if (!isOwn) return;
    // A new password ends all sessions of its user; sign in again with the password that was just entered. With a second
    // factor the user signs in.
    try {
      storeToken((await api.internal.login({ email, password })).jwt);
    } catch (error) {
      if (!needsCode(error)) throw error;
    }
    // The server refused everything else while the password was a generated one.
    await queryClient.resetQueries({ predicate: ({ state }) => state.status === 'error' });
  }

  return (
    <Loaded isPage query={useQuery(query('user', 'get', { id: userID }))}>
      {({ user }) => (
        <>
          <PageHeader
            crumbs={[
              { label: 'Users', to: may('user.list') ? paths.user.list() : undefined },
              { label: user.email, to: may('user.update') ? paths.user.one(userID) : undefined },
            ]}
            title={isGenerated ? 'Choose your own password' : 'Change password'}
            facts={isGenerated && 'The server generated your password. Change it to go on.'}
          />
          <MessageForm
            form={form}
            submit="Update password"
            onSubmit={(passwords) => perform(change(user.email, passwords), { done: 'user has been updated' })}
            onSaved={() => void navigate({ to: paths.start() })}
          >
            <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
            {isOwn && (
              <PasswordField
                name="oldPassword"
                autoComplete="current-password"
                help="Confirms your identity."
                required={!bySingleSignOn}
              />
            )}
            <PasswordField name="password" label="New password" autoComplete="new-password" />
          </MessageForm>
        </>
      )}
    </Loaded>
  );
}
