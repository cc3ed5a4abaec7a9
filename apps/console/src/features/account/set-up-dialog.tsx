import { Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { PasswordField, TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { QRCode } from '../../components/qr-code/qr-code.tsx';
import { useSession } from '../../session/session.tsx';
import classes from './account.module.css';

interface Props {
  onClose: () => void;
  onDone: (recoveryCodes: readonly string[]) => void;
}

interface Started {
  secret: string;
  uri: string;
}

/** Sets up a second factor: password, then QR code and a first code of the app. */
export function SetUpDialog({ onClose, onDone }: Props) {
  const [started, setStarted] = useState<Started>();
  return (
    <Modal opened onClose={onClose} title="Set up a second factor">
      {started ? <FirstCode started={started} onDone={onDone} /> : <Password onStarted={setStarted} />}
    </Modal>
  );
}

function Password({ onStarted }: { onStarted: (started: Started) => void }) {
  const { email } = useSession().user;
  const form = useMessageForm('CreateSecondFactorRequest', { values: { password: '' } });
  return (
    <MessageForm
      form={form}
      submit="Continue"
      bare
      guarded={false}
      onSubmit={async (values) => onStarted(await perform(api.secondFactor.create(values)))}
    >
      <Text>You need an authenticator app on your phone. Your other sessions end when the second factor is on.</Text>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField name="password" autoComplete="current-password" data-autofocus />
    </MessageForm>
  );
}

function FirstCode({ started, onDone }: { started: Started; onDone: Props['onDone'] }) {
  const form = useMessageForm('ConfirmSecondFactorRequest', { values: { code: '' } });
  async function confirm(values: { code: string }) {
    const { recoveryCodes } = await perform(api.secondFactor.confirm(values), { changed: ['secondFactor', 'session'] });
    // What a required second factor has refused can be read now.
    void queryClient.invalidateQueries();
    onDone(recoveryCodes);
  }
  return (
    <MessageForm form={form} submit="Turn on" bare guarded={false} onSubmit={confirm}>
      <Stack gap="xs">
        <Text>Scan this with the app, then enter the six digits that it shows.</Text>
        <div className={classes.code}>
          <QRCode text={started.uri} label="QR code for the authenticator app" />
        </div>
        <Text size="xs" c="dimmed">
          Cannot scan it? Enter this key in the app:
        </Text>
        <Identifier value={started.secret} label="the key" />
      </Stack>
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the next thing that the user enters */}
      <TextField name="code" autoComplete="one-time-code" inputMode="numeric" autoFocus />
    </MessageForm>
  );
}
