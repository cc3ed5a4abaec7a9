import { Box, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DownlinkQueue } from '../../components/downlink/downlink-queue.tsx';
import { PayloadField, usePayloadText } from '../../components/downlink/payload-field.tsx';
import { type PayloadView, PayloadViews } from '../../components/downlink/payload-views.tsx';
import { NumberField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { useMay } from '../../session/session.tsx';

/** Refetch interval while downlinks are queued. */
const refreshMs = 5_000;

/** The downlinks to all devices of a group. */
export function GroupDownlinks() {
  const { multicastGroupID } = useIDs();
  const may = useMay();
  const [sent, setSent] = useState(0);
  const waiting = useQuery({
    ...query('multicastGroup', 'listQueue', { multicastGroupID }),
    select: ({ multicastQueueItems }) => multicastQueueItems,
    refetchInterval: ({ state }) => (state.data?.multicastQueueItems.length ? refreshMs : false),
  });
  return (
    <Stack gap="md">
      {may('multicastGroup.enqueue') && (
        <section id="enqueue-form" aria-labelledby="enqueue">
          <EnqueueForm key={sent} onSent={() => setSent(sent + 1)} />
        </section>
      )}
      <DownlinkQueue
        query={waiting}
        empty="Queued downlinks are listed here until gateways have sent them."
        question="Are you sure you want to flush the queue of the multicast-group?"
        onFlush={
          may('multicastGroup.flushQueue')
            ? () =>
                perform(api.multicastGroup.flushQueue({ multicastGroupID }), {
                  changed: ['multicastGroup'],
                  done: 'multicast-group queue has been flushed',
                })
            : undefined
        }
      />
    </Stack>
  );
}

/** The form values; `fPort` is empty until a number is typed. */
interface Downlink {
  fPort: number | '';
  data: string;
}

/** Enqueues a downlink, then resets the form. */
function EnqueueForm({ onSent }: { onSent: () => void }) {
  const { multicastGroupID } = useIDs();
  const form = useMessageForm<Downlink>('MulticastQueueItem', { values: { fPort: '', data: '' } });
  const payload = usePayloadText(form);
  const enqueue = ({ fPort }: Downlink) =>
    perform(
      api.multicastGroup.enqueue({
        multicastQueueItem: { multicastGroupID, fPort: Number(fPort), data: payload.bytes!.toBase64() },
      }),
      { changed: ['multicastGroup'], done: 'multicast-group queue item has been created' },
    );
  return (
    <MessageForm form={form} submit="Enqueue payload" wide guarded={false} onSubmit={enqueue} onSaved={onSent}>
      <Title order={2} id="enqueue">
        Enqueue downlink payload
      </Title>
      <Box maw={420}>
        <NumberField name="fPort" />
      </Box>
      <PayloadViews
        views={['base64', 'hex']}
        view={payload.format}
        onView={(view: PayloadView) => view !== 'json' && payload.show(view)}
      >
        <PayloadField payload={payload} required />
      </PayloadViews>
    </MessageForm>
  );
}
