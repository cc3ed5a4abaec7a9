import { Alert, Button, Group } from '@mantine/core';
import { IconCheck, IconSend, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { InlineError } from '../../components/states/states.tsx';
import type { Delivered } from './delivered.ts';

interface Props {
  of: Delivered;
  eventID: string;
}

/** Sends an event once more at once, and shows the response. */
export function SendAgain({ of, eventID }: Props) {
  const send = useMutation({
    mutationFn: () => perform(api.delivery.sendAgain({ ...of, eventID }), { changed: ['delivery'] }),
  });
  const { data } = send;
  return (
    <>
      <InlineError error={send.error} />
      {data && (
        <Alert
          role="status"
          color={data.delivered ? 'petrol' : 'red'}
          icon={data.delivered ? <IconCheck /> : <IconX />}
          title={[data.delivered ? 'Delivered' : 'Not delivered', data.status && `Status ${data.status}`]
            .filter(Boolean)
            .join(' · ')}
        >
          {data.message || `It took ${data.milliseconds} ms.`}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button leftSection={<IconSend size={16} />} loading={send.isPending} onClick={() => send.mutate()}>
          Send again
        </Button>
      </Group>
    </>
  );
}
