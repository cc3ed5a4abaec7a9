import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { InlineError } from '../states/states.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  question: string;
  /** The object it is about, shown in the dialog. */
  name?: string;
  /** The name must be typed before the action can be chosen. */
  mustType?: boolean;
  /** Label of the button that does it. */
  action: string;
  cancel?: string;
  children?: ReactNode;
  /** Throwing keeps the dialog open and shows the error in it. */
  onConfirm: () => Promise<unknown>;
}

/** Asks before something that cannot be undone, and stays until it is done or refused. */
export function ConfirmDialog({ opened, onClose, title, ...content }: Props) {
  const [pending, setPending] = useState(false);
  return (
    <Modal opened={opened} onClose={() => !pending && onClose()} title={title}>
      <Content {...content} onClose={onClose} pending={pending} setPending={setPending} />
    </Modal>
  );
}

/** A page shows runs of spaces as one, and nobody can tell how many there are. */
const spelled = (text: string) => text.trim().replace(/\s+/g, ' ');

function Content({
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
}: Omit<Props, 'opened' | 'title'> & { pending: boolean; setPending: (pending: boolean) => void }) {
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
        {name && (
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
