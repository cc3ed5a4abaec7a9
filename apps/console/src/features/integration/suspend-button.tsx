import type { DeliveryStatus } from '@hilltop/contract';
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { InlineError } from '../../components/states/states.tsx';
import type { Delivered, DeliveryOwner } from './delivered.ts';

type From = 'WHERE_IT_STOPPED' | 'NOW';

/** Suspends or resumes an integration. */
export function SuspendButton({ owner, status }: { owner: DeliveryOwner; status: DeliveryStatus }) {
  const [isAsking, setAsking] = useState(false);
  const { kind, state, behindEvents } = status;
  const close = () => setAsking(false);
  if (state === 'SUSPENDED')
    return (
      <>
        <Button leftSection={<IconPlayerPlay size={16} />} onClick={() => setAsking(true)}>
          Resume
        </Button>
        <Modal opened={isAsking} onClose={close} title="Resume">
          <Resume of={{ ...owner, kind }} waiting={behindEvents} onClose={close} />
        </Modal>
      </>
    );
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerPause size={16} />} onClick={() => setAsking(true)}>
        Suspend
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={close}
        title="Suspend?"
        question="Nothing is sent until you resume the integration. Events wait until they expire."
        action="Suspend"
        onConfirm={() =>
          perform(api.delivery.suspend({ ...owner, kind }), {
            changed: ['delivery'],
            done: 'integration has been suspended',
          })
        }
      />
    </>
  );
}

function Resume(props: { of: Delivered; waiting: number; onClose: () => void }) {
  const { of, waiting, onClose } = props;
  const [from, setFrom] = useState<From>('WHERE_IT_STOPPED');
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  async function resume() {
    setPending(true);
    try {
      const call = api.delivery.resume({ ...of, from });
      await perform(call, { changed: ['delivery'], done: 'integration has been resumed' });
      onClose();
    } catch (error) {
      setFailure(error);
      setPending(false);
    }
  }
  return (
    <Stack gap="md">
      <Radio.Group label="Begin" value={from} onChange={(value) => setFrom(value as From)}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="WHERE_IT_STOPPED"
            label="Where it stopped"
            description="Waiting events are sent first, in order."
          />
          <Radio value="NOW" label="With new events only" description="Waiting events are dropped." />
        </Stack>
      </Radio.Group>
      {waiting > 0 && <Text c="dimmed">{`${waiting.toLocaleString('en')} events wait.`}</Text>}
      <InlineError error={failure} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={isPending}>
          Cancel
        </Button>
        <Button loading={isPending} onClick={() => void resume()}>
          Resume
        </Button>
      </Group>
    </Stack>
  );
}
