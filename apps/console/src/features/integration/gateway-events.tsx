import { Alert, Checkbox, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import '../../api/integration-facts.ts';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { StayButton } from '../../components/form/stay-button.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { DeliveryState, reasonOf, useDeliveryStates } from '../../components/status/delivery-state.tsx';
import { paths } from '../../paths.ts';
import { gatewayEventsKind, ownerOfGateways, useDelivered } from './delivered.ts';
import { DeliveryOptions } from './delivery-options.tsx';
import { gatewayEventTypes } from './event-types.ts';
import { Headers } from './headers.tsx';
import classes from './integration.module.css';
import { SigningSecret } from './signing-secret.tsx';
import { SuspendButton } from './suspend-button.tsx';
import { useTestDelivery } from './test-delivery.tsx';

function useGatewayEvents() {
  const { organizationID } = useIDs();
  const owner = ownerOfGateways(organizationID);
  const status = useDeliveryStates('0', organizationID).get(gatewayEventsKind);
  const overview = useQuery(query('delivery', 'overview', owner));
  return { organizationID, owner, status, overview };
}

/** The HTTP integration of an organization, which gets the events of its gateways, around its sections. */
export function GatewayEventsPage() {
  const { organizationID, owner, status } = useGatewayEvents();
  const to = (page: Parameters<typeof paths.gatewayEvents>[1]) => paths.gatewayEvents(organizationID, page);
  const { dead = 0 } = status ?? {};
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Gateways', to: paths.gateway.list(organizationID) }]}
        title="Gateway events"
        badges={
          status && (
            <span className={classes.state}>
              <DeliveryState status={status} />
            </span>
          )
        }
        actions={
          status && (
            <>
              <SuspendButton owner={owner} status={status} />
              <DeleteButton
                label="Remove"
                name="gateway events"
                question="Are you sure you want to remove the HTTP integration for gateway events?"
                note="Undelivered events are dropped."
                onDelete={() =>
                  perform(api.gatewayIntegration.delete({ organizationID }), {
                    gone: ['gatewayIntegration'],
                    changed: ['delivery'],
                    done: 'integration has been deleted',
                  })
                }
                onDone={() => undefined}
              />
            </>
          )
        }
        {...(status && {
          tabs: [
            { label: 'Configuration', to: to('edit') },
            { label: 'Deliveries', to: to('deliveries') },
            { label: dead > 0 ? `Dead letters (${dead})` : 'Dead letters', to: to('dead-letters') },
            { label: 'Replay', to: to('replay') },
          ],
        })}
      />
      {status && reasonOf(status) !== '' && (
        <Alert color={status.state === 'SUSPENDED' ? 'red' : 'yellow'} role="status" mb="md">
          {reasonOf(status)}
        </Alert>
      )}
      <Outlet />
    </>
  );
}

type Configuration = {
  organizationID: string;
  headers: { key: string; value: string }[];
  eventEndpointURL: string;
  eventTypes: string[];
};

/** The configuration of the surrounding page; a new one when there is none. */
export function GatewayEventsEdit() {
  const { organizationID, overview } = useGatewayEvents();
  return (
    <Loaded query={overview}>
      {({ result }) =>
        result.length === 0 ? (
          <ConfigurationForm initial={{ organizationID, headers: [], eventEndpointURL: '', eventTypes: [] }} isNew />
        ) : (
          <StoredConfiguration />
        )
      }
    </Loaded>
  );
}

function StoredConfiguration() {
  const { organizationID, owner, status } = useGatewayEvents();
  return (
    <Loaded query={useQuery(query('gatewayIntegration', 'get', { organizationID }))}>
      {({ integration }) => (
        <Stack gap="md">
          <ConfigurationForm initial={integration} isNew={false} />
          {status && <DeliveryOptions owner={owner} status={status} />}
          <SigningSecret owner={owner} />
        </Stack>
      )}
    </Loaded>
  );
}

function ConfigurationForm({ initial, isNew }: { initial: Configuration; isNew: boolean }) {
  const form = useMessageForm('GatewayHTTPIntegration', { values: initial });
  const test = useTestDelivery(useDelivered(), () => (form.check() ? form.sent() : null));
  return (
    <MessageForm
      form={form}
      submit={isNew ? 'Add integration' : 'Update integration'}
      isNew={isNew}
      stayButton={isNew ? undefined : StayButton}
      actions={test.button}
      onSubmit={(integration) =>
        perform(
          isNew ? api.gatewayIntegration.create({ integration }) : api.gatewayIntegration.update({ integration }),
          {
            changed: ['gatewayIntegration', 'delivery'],
            done: `integration has been ${isNew ? 'created' : 'updated'}`,
          },
        )
      }
    >
      <TextField name="eventEndpointURL" />
      <EventTypes />
      <Headers />
      {test.result}
    </MessageForm>
  );
}

const meanings: Record<string, string> = {
  online: 'The gateway is back',
  offline: 'Nothing is received from it',
  stats: 'Statistics, usually every 30 s',
};

function EventTypes() {
  const { label, value, disabled, onChange } = useField<string[]>('eventTypes');
  return (
    <Checkbox.Group label={label} description="All when you choose none." value={value} onChange={onChange}>
      <Group gap="md" mt="xs">
        {gatewayEventTypes.map((type) => (
          <Checkbox key={type} value={type} label={type} description={meanings[type]} disabled={disabled} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
