import { Text } from '@mantine/core';
import { api } from '../api/client.ts';
import { MessageForm } from '../components/form/message-form.tsx';
import { TextField } from '../components/form/text-fields.tsx';
import { useMessageForm } from '../components/form/use-message-form.ts';

interface Props {
  email: string;
  password: string;
  onToken: (token: string) => void;
}

/** The second step of a sign-in: a code of the app, or a recovery code. */
export function CodeForm({ email, password, onToken }: Props) {
  const form = useMessageForm('LoginRequest', { values: { email, password, otp: '' } });
  return (
    <MessageForm
      form={form}
      submit="Login"
      bare
      guarded={false}
      onSubmit={async (values) => onToken((await api.internal.login(values)).jwt)}
    >
      <Text>Your account needs a second step.</Text>
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the form has no other field */}
      <TextField name="otp" required autoComplete="one-time-code" autoFocus />
    </MessageForm>
  );
}
