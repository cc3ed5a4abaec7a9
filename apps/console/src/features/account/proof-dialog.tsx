import { Modal, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { PasswordField, TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useSession } from '../../session/session.tsx';

const texts = {
  'turn-off': {
    title: 'Turn off the second factor?',
    submit: 'Turn off',
    question: 'Signing in then needs your password only. To move to another phone, turn it off and set it up again.',
  },
  'new-codes': {
    title: 'New recovery codes',
    submit: 'Create codes',
    question: 'Ten new codes replace the earlier ones, which no longer work.',
  },
} as const;

interface Props {
  kind: keyof typeof texts;
  onClose: () => void;
  onCodes?: (recoveryCodes: readonly string[]) => void;
}

/** Asks for password and code before the second factor changes. */
export function ProofDialog({ kind, onClose, onCodes }: Props) {
  const { email } = useSession().user;
  const form = useMessageForm('RemoveSecondFactorRequest', { values: { password: '', code: '' } });
  const { title, submit, question } = texts[kind];

  async function send(proof: { password: string; code: string }) {
    const changed = { changed: ['secondFactor' as const] };
    if (kind === 'turn-off') {
      await perform(api.secondFactor.remove(proof), { ...changed, done: 'second factor has been turned off' });
      onClose();
    } else {
      const { recoveryCodes } = await perform(api.secondFactor.createRecoveryCodes(proof), changed);
      onCodes?.(recoveryCodes);
    }
  }

  return (
    <Modal opened onClose={onClose} title={title}>
      <MessageForm form={form} submit={submit} bare guarded={false} onSubmit={send}>
        <Text>{question}</Text>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField name="password" autoComplete="current-password" data-autofocus />
        <TextField name="code" autoComplete="one-time-code" />
      </MessageForm>
    </Modal>
  );
}
