import type { GatewayProfile } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { NeedsNetworkServer } from '../../components/first-step/needs-network-server.tsx';
import { NumberField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { numberListProblem } from '../../components/form/number-list.ts';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { NetworkServerOf } from '../../components/link/network-server-of.tsx';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { DuplicateLink } from '../../components/resource/duplicate-link.tsx';
import { EditPage } from '../../components/resource/edit-page.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { ExtraChannels } from './extra-channels.tsx';
import { emptyExtraChannel, emptyGatewayProfile, fromValues, toValues } from './gateway-profile-values.ts';

function GatewayProfileForm({ initial, onSubmit, ...rest }: ResourceFormProps<GatewayProfile>) {
  const form = useMessageForm('GatewayProfile', { values: toValues(initial) });
  const { extraChannels } = form.values;
  const addChannel = (
    <Button
      variant="default"
      leftSection={<IconPlus size={16} />}
      onClick={() => form.set('extraChannels', [...extraChannels, emptyExtraChannel])}
    >
      Add extra channel
    </Button>
  );
  return (
    <MessageForm form={form} {...rest} actions={addChannel} onSubmit={(values) => onSubmit(fromValues(values))}>
      <TextField name="name" />
      <NumberField
        name="statsInterval"
        validate={(seconds: number) => (seconds > 0 ? null : 'The interval must be longer than 0 seconds.')}
      />
      <TextField name="channels" placeholder="0, 1, 2" validate={(text: string) => numberListProblem(text)} />
      <ResourceSelectField name="networkServerID" query={query('networkServer', 'list', { limit: 999, offset: 0 })} />
      <ExtraChannels channels={extraChannels} onChange={(channels) => form.set('extraChannels', channels)} />
    </MessageForm>
  );
}

export function GatewayProfileCreate() {
  return (
    <CreatePage of="gatewayProfile" copySuffix=" (copy)" form={GatewayProfileForm} initial={emptyGatewayProfile}>
      <NeedsNetworkServer by="gateway-profiles" />
    </CreatePage>
  );
}

export function GatewayProfileEdit() {
  return (
    <EditPage
      of="gatewayProfile"
      actions={(id) => <DuplicateLink of="gatewayProfile" id={id} />}
      form={GatewayProfileForm}
      facts={({ channels, extraChannels, statsInterval, networkServerID }) => [
        { name: 'Channels', value: [channels.length, extraChannels.length].filter(Boolean).join(' + ') },
        { name: 'Stats interval', value: statsInterval },
        { name: 'Network-server', isLong: true, value: <NetworkServerOf id={networkServerID} /> },
      ]}
    />
  );
}
