import { type APIKey, replacedKeyHours } from '@hilltop/contract';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { InlineError } from '../../components/states/states.tsx';
import { dayOf, ExpiryChoice, type ExpiryValue, expiryProblem, expiryTime } from './expiry-choice.tsx';
import { NewToken } from './new-token.tsx';

interface Props {
  of: APIKey;
  onClose: () => void;
}

/** Changes the name and the expiry of a key. */
export function EditKeyDialog({ of, onClose }: Props) {
  const [name, setName] = useState(of.name);
  const [expiry, setExpiry] = useState<ExpiryValue | null>(null);
  const shown = expiry ?? (of.expiresAt ? dayOf(of.expiresAt) : 0);
  const problem = expiry === null ? null : expiryProblem(expiry);
  return (
    <Modal opened onClose={onClose} title={`Edit ${of.name}`}>
      <DialogForm
        action="Update"
        disabled={name.trim() === '' || problem !== null}
        onCancel={onClose}
        onSubmit={async () => {
          const expiresAt = expiry === null ? (of.expiresAt ?? null) : expiryTime(expiry);
          await perform(api.apiKey.update({ id: of.id, name: name.trim(), expiresAt }), {
            changed: ['internal'],
            done: 'api key has been updated',
          });
          onClose();
        }}
      >
        <TextInput
          label="API key name"
          withAsterisk
          maxLength={100}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <ExpiryChoice value={shown} error={problem ?? undefined} onChange={setExpiry} />
      </DialogForm>
    </Modal>
  );
}

/** Creates a key with the same rights, and shows its token once. */
export function ReplaceKeyDialog({ of, onClose }: Props) {
  const [expiry, setExpiry] = useState<ExpiryValue | null>(null);
  const [created, setCreated] = useState<{ id: string; token: string } | null>(null);
  const shown = expiry ?? (of.expiresAt ? dayOf(of.expiresAt) : 0);
  const problem = expiryProblem(shown);
  if (created)
    return (
      <Modal
        opened
        onClose={onClose}
        title={`New token of ${of.name}`}
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        <NewToken name={of.name} {...created} onDone={onClose} />
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title={`Replace ${of.name}?`}>
      <DialogForm
        action="Replace"
        disabled={problem !== null}
        onCancel={onClose}
        onSubmit={async () => {
          const call = api.apiKey.replace({
            id: of.id,
            expiresAt: expiry === null ? (of.expiresAt ?? null) : expiryTime(expiry),
            neverExpires: shown === 0,
          });
          const { id, jwtToken } = await perform(call, { changed: ['internal'], done: 'api key has been replaced' });
          setCreated({ id, token: jwtToken });
        }}
      >
        <Text>
          A new key gets the same name and rights, and the end that you choose. This one remains valid for at most{' '}
          {replacedKeyHours} hours, so that you can give your programs the new token.
        </Text>
        <ExpiryChoice label="The new key expires" value={shown} error={problem ?? undefined} onChange={setExpiry} />
      </DialogForm>
    </Modal>
  );
}

interface DialogFormProps {
  action: string;
  disabled: boolean;
  onCancel: () => void;
  onSubmit: () => Promise<void>;
  children: ReactNode;
}

function DialogForm({ action, disabled, onCancel, onSubmit, children }: DialogFormProps) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  async function submit() {
    setPending(true);
    setFailure(null);
    await onSubmit().catch(setFailure);
    setPending(false);
  }
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="sm">
        {children}
        <InlineError error={failure} />
        <Group justify="flex-end">
          <Button variant="default" disabled={pending} onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={disabled} loading={pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
