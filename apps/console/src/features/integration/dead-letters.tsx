import type { DeadLetter } from '@hilltop/contract';
import { Button, Group, Stack } from '@mantine/core';
import { IconMailX, IconRepeat, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { Facts } from '../../components/facts/facts.tsx';
import { JsonTree } from '../../components/json-tree/json-tree.tsx';
import { formatLogTime } from '../../components/last-seen/dates.ts';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { parsedJson } from '../../components/live-log/identifiers.ts';
import { SidePanel } from '../../components/side-panel/side-panel.tsx';
import { toast } from '../../components/toast/toast.ts';
import { subjectOf, useDelivered } from './delivered.ts';

const outcomeText = (events: number, what: string) => `${events === 1 ? '1 event' : `${events} events`} ${what}`;

interface DeadLetterActions {
  kind: string;
  onOpen: (letter: DeadLetter) => void;
  onRetry: (eventID: string) => void;
}

function columnsOf({ kind, onOpen, onRetry }: DeadLetterActions): Column<DeadLetter>[] {
  return [
    {
      header: 'Given up',
      primary: true,
      cell: (one) => (
        <Button size="compact-sm" variant="subtle" ml={-8} onClick={() => onOpen(one)}>
          {one.deadAt ? formatLogTime(one.deadAt) : 'Unknown'}
        </Button>
      ),
    },
    { header: 'Event', fit: true, card: 'plain', cell: ({ eventType }) => eventType },
    { header: 'Of', fit: true, card: 'folded', cell: ({ at }) => <LongDate at={at} /> },
    {
      header: subjectOf(kind).record,
      fit: true,
      card: 'folded',
      cell: ({ devEUI }) => <span className="identifier">{devEUI}</span>,
    },
    { header: 'Tries', card: 'folded', align: 'right', cell: ({ attempts }) => attempts },
    { header: 'Reason', share: 3, card: 'cut', cell: ({ message }) => message },
    {
      header: 'Send again',
      hideHeader: true,
      align: 'right',
      width: 110,
      cell: ({ eventID }) => (
        <Button size="xs" variant="default" aria-label={`Send again: ${eventID}`} onClick={() => onRetry(eventID)}>
          Send again
        </Button>
      ),
    },
  ];
}

function DeadLetterDetails({ letter, onRetry }: { letter: DeadLetter; onRetry: () => void }) {
  return (
    <Stack>
      <Facts
        facts={[
          ['Reason', letter.message],
          ['Status', letter.status || 'Nothing came back'],
          ['Tries', letter.attempts],
          ['Event ID', <code key="id">{letter.eventID}</code>],
        ]}
      />
      <JsonTree value={parsedJson(letter.payloadJSON)} label="Event" />
      <Group justify="flex-end">
        <Button onClick={onRetry}>Send again</Button>
      </Group>
    </Stack>
  );
}

/** The dead letters of an integration, with actions to send them again or to discard them. */
export function DeadLetters() {
  const [opened, setOpened] = useState<DeadLetter | null>(null);
  const [isAsking, setAsking] = useState(false);
  const of = useDelivered();
  const retry = useMutation({
    mutationFn: (eventIDs: string[]) => perform(api.delivery.retryDead({ ...of, eventIDs }), { changed: ['delivery'] }),
    onSuccess: ({ events }) => {
      toast.success(outcomeText(events, 'will be sent again'));
      setOpened(null);
    },
    onError: (error) => toast.error(explain(error)),
  });
  return (
    <>
      <ResourceList
        label="Dead letters"
        query={({ limit, offset }) => query('delivery', 'listDead', { ...of, limit, offset })}
        rowKey={({ eventID }) => eventID}
        refreshMs={5_000}
        toolbar={
          <Group gap="xs" justify="flex-end" flex={1}>
            <Button variant="default" size="xs" leftSection={<IconRepeat size={16} />} onClick={() => retry.mutate([])}>
              Send all again
            </Button>
            <Button variant="default" size="xs" leftSection={<IconTrash size={16} />} onClick={() => setAsking(true)}>
              Forget all
            </Button>
          </Group>
        }
        columns={columnsOf({ kind: of.kind, onOpen: setOpened, onRetry: (eventID) => retry.mutate([eventID]) })}
        empty={{
          icon: <IconMailX size={32} />,
          title: 'No dead letters',
          text: 'Events that the endpoint rejects permanently, and events that expire, are stored here for a limited time.',
        }}
      />
      <SidePanel opened={opened !== null} onClose={() => setOpened(null)} title="Dead letter">
        {opened && <DeadLetterDetails letter={opened} onRetry={() => retry.mutate([opened.eventID])} />}
      </SidePanel>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Forget?"
        question="Are you sure you want to delete all dead letters of this integration? They will not be sent."
        action="Forget all"
        onConfirm={async () => {
          const deletion = api.delivery.deleteDead({ ...of, eventIDs: [] });
          const { events } = await perform(deletion, { changed: ['delivery'] });
          toast.success(outcomeText(events, 'forgotten'));
        }}
      />
    </>
  );
}
