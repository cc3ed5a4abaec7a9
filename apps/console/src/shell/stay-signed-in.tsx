import { Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { MessageForm } from '../components/form/message-form.tsx';
import { PasswordField, TextField } from '../components/form/text-fields.tsx';
import { useMessageForm } from '../components/form/use-message-form.ts';
import { useSession } from '../session/session.tsx';
import { storeToken } from '../session/storage.ts';
import { needsCode } from '../sign-in/needs-code.ts';

interface Props {
  onClose: () => void;
  onRenewed: () => void;
}

/** Starts another session without leaving the page. */
export function StaySignedIn({ onClose, onRenewed }: Props) {
  const { email } = useSession().user;
  const form = useMessageForm('LoginRequest', { values: { email, password: '', otp: '' } });
  const [hasCode, setHasCode] = useState(false);

  async function renew(values: { email: string; password: string; otp: string }) {
    try {
      storeToken((await api.internal.login(values)).jwt);
    } catch (error) {
      if (needsCode(error)) setHasCode(true);
      throw error;
    }
  }

  return (
    <Modal opened onClose={onClose} title="Stay signed in">
      <MessageForm
        form={form}
        submit="Stay signed in"
        bare
        guarded={false}
        onSubmit={renew}
        onSaved={() => {
          onRenewed();
          onClose();
        }}
      >
        <Text>Your password starts a new session for {email}. This page and its input stay.</Text>
        <PasswordField name="password" autoComplete="current-password" data-autofocus />
        {hasCode && <TextField name="otp" required autoComplete="one-time-code" />}
      </MessageForm>
    </Modal>
  );
}
