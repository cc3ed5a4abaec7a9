import type { Gateway } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { Disclosure } from '../../components/disclosure/disclosure.tsx';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { GatewayGuide } from './gateway-guide.tsx';
import { GatewayPosition } from './gateway-position.tsx';
import { emptyGateway, fromForm, toForm } from './gateway-values.ts';
import { UnknownGateways } from './unknown-gateways.tsx';

/** One page to connect a gateway: register it, configure it, and watch its first message. */
export function ConnectGateway() {
  const { organizationID } = useIDs();
  const { gateway, eui = '' }: { gateway?: string; eui?: string } = useSearch({ strict: false });
  // Disabled where an organization cannot have gateways.
  const listeners = useQuery(query('connecting', 'get', { organizationID }));
  return (
    <>
      <PageHeader crumbs={[{ label: 'Gateways', to: paths.gateway.list(organizationID) }]} title="Connect a gateway" />
      <Loaded query={listeners}>
        {() =>
          gateway === undefined ? <Register unknown={eui} /> : <GatewayGuide key={gateway} gatewayID={gateway} />
        }
      </Loaded>
    </>
  );
}

const nameOf = (id: string) => `gateway-${id.slice(-4)}`;

/** `unknown`: the ID of the gateway that the user wants to register; may be empty. */
function Register({ unknown }: { unknown: string }) {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const form = useMessageForm<Gateway>('Gateway', {
    values: toForm({
      ...emptyGateway,
      organizationID,
      ...(unknown !== '' && { id: unknown, name: nameOf(unknown) }),
    }),
  });
  const { id } = form.values;
  const fields = useRef<HTMLDivElement>(null);
  const register = (gateway: Gateway) =>
    perform(api.gateway.create({ gateway: { ...fromForm(gateway), description: gateway.name } }), {
      changed: ['gateway', 'connecting', 'firstSteps'],
      done: 'gateway has been created',
    });
  return (
    <>
      <NeedsServiceProfile organizationID={organizationID} />
      <UnknownGateways
        chosen={id}
        onChoose={(other) => {
          form.set('id', other);
          if (form.values.name === '') form.set('name', nameOf(other));
          fields.current?.querySelector<HTMLElement>('[name="name"]')?.focus();
        }}
      />
      <div ref={fields}>
        <MessageForm
          form={form}
          isNew
          submit="Register gateway"
          onSubmit={register}
          onSaved={() => void navigate({ to: '.', search: { gateway: id.toLowerCase() } as never, replace: true })}
        >
          <HexField name="id" bytes={8} help="Printed on the label as Gateway ID or EUI (16 digits)." />
          <TextField name="name" />
          <ResourceSelectField
            name="networkServerID"
            query={query('networkServer', 'list', { organizationID, limit: 999, offset: 0 })}
          />
          <Disclosure label="Set its position">
            <GatewayPosition form={form} />
          </Disclosure>
        </MessageForm>
      </div>
    </>
  );
}
