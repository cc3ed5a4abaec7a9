import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { InlineError } from '../states/states.tsx';
import classes from './confirm-dialog.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  question: string;
  /** The name of the object, shown in the dialog unless the title has it. */
  name?: string;
  /** The user must type the name before the action is enabled. */
  mustType?: boolean;
  /** Label of the confirm button. */
  action: string;
  cancel?: string;
  children?: ReactNode;
  /** If it throws, the dialog stays open and shows the error. */
  onConfirm: () => Promise<unknown>;
}

/**
 * Asks for confirmation of an action that cannot be undone. Stays open until the action has succeeded or is cancelled.
 */
export function ConfirmDialog({ opened, onClose, title, ...content }: Props) {
  const [pending, setPending] = useState(false);
  return (
    <Modal opened={opened} onClose={() => !pending && onClose()} title={title}>
      <Content {...content} title={title} onClose={onClose} pending={pending} setPending={setPending} />
    </Modal>
  );
}

/** A page renders a run of spaces as one, so users cannot know how many to type. */
const spelled = (text: string) => text.trim().replace(/\s+/g, ' ');

function Content({
  title,
  question,
  name,
  mustType = false,
  action,
  cancel = 'Cancel',
  children,
  onConfirm,
  onClose,
  pending,
  setPending,
}: Omit<Props, 'opened'> & { pending: boolean; setPending: (pending: boolean) => void }) {
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<unknown>(null);

  async function confirm(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    setPending(true);
    setFailure(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setPending(false);
    }
  }

  return (
    <form onSubmit={(event) => void confirm(event)}>
      <Stack gap="sm">
        <Text>{question}</Text>
        {name && !title.includes(name) && (
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
        )}
        {children}
        {mustType && name && (
          <TextInput
            label={`Type ${name} to confirm`}
            styles={{ label: { overflowWrap: 'anywhere' } }}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <InlineError error={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending} {...(!mustType && { 'data-autofocus': true })}>
            {cancel}
          </Button>
          <Button
            type="submit"
            color="red"
            className={classes.danger ?? ''}
            loading={pending}
            disabled={mustType && spelled(typed) !== spelled(name ?? '')}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
