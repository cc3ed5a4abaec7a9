import { Modal, Text } from '@mantine/core';
import { api } from '../api/client.ts';
import { MessageForm } from '../components/form/message-form.tsx';
import { PasswordField } from '../components/form/text-fields.tsx';
import { useMessageForm } from '../components/form/use-message-form.ts';
import { useSession } from '../session/session.tsx';
import { storeToken } from '../session/storage.ts';

interface Props {
  onClose: () => void;
  onRenewed: () => void;
}

/** Starts another session without leaving the page. */
export function StaySignedIn({ onClose, onRenewed }: Props) {
  const { email } = useSession().user;
  const form = useMessageForm('LoginRequest', { values: { email, password: '' } });
  return (
    <Modal opened onClose={onClose} title="Stay signed in">
      <MessageForm
        form={form}
        submit="Stay signed in"
        bare
        guarded={false}
        onSubmit={async (values) => storeToken((await api.internal.login(values)).jwt)}
        onSaved={() => {
          onRenewed();
          onClose();
        }}
      >
        <Text>Your password starts a new session for {email}. This page and its input stay.</Text>
        <PasswordField name="password" autoComplete="current-password" data-autofocus />
      </MessageForm>
    </Modal>
  );
}
