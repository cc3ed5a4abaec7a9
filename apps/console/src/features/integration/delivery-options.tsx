import type { DeliveryStatus } from '@hilltop/contract';
import { Title } from '@mantine/core';
import '../../api/integration-facts.ts';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { NumberField, SwitchField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import type { DeliveryOwner } from './delivered.ts';

/** Whether an integration keeps the order of events, and how many requests it sends at once. */
export function DeliveryOptions({ owner, status }: { owner: DeliveryOwner; status: DeliveryStatus }) {
  const { kind, keepOrder, maxInFlight } = status;
  const form = useMessageForm('SetDeliveryOptionsRequest', {
    values: { ...owner, kind, keepOrder, maxInFlight },
  });
  return (
    <MessageForm
      form={form}
      submit="Update order and speed"
      isBeside
      onSubmit={(values) =>
        perform(api.delivery.setOptions(values), { changed: ['delivery'], done: 'order and speed have been updated' })
      }
    >
      <Title order={2}>Order and speed</Title>
      <SwitchField name="keepOrder" />
      <NumberField name="maxInFlight" />
    </MessageForm>
  );
}
