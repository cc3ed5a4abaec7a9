// The facts of the form are not among those of the sign-in page.
import '../api/contract-facts.ts';
import { TextInput } from '@mantine/core';
import { api } from '../api/client.ts';
import { MessageForm } from '../components/form/message-form.tsx';
import { PasswordField } from '../components/form/text-fields.tsx';
import { useMessageForm } from '../components/form/use-message-form.ts';

interface Props {
  token: string;
  email: string;
  onRegistered: (answer: { jwt: string; organizationID: string }) => void;
}

/** Creates the account of an invited person, who chooses a password. */
export function NewAccountForm({ token, email, onRegistered }: Props) {
  const form = useMessageForm('RegisterInvitedRequest', { values: { password: '' } });
  return (
    <MessageForm
      form={form}
      submit="Create account"
      bare
      guarded={false}
      onSubmit={async ({ password }) => onRegistered(await api.invitation.register({ token, password }))}
    >
      <TextInput label="E-mail address" value={email} readOnly autoComplete="username" />
      <PasswordField name="password" autoComplete="new-password" />
    </MessageForm>
  );
}
