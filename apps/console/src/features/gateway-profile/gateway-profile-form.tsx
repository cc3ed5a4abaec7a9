import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { NumberField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { numberListProblem } from '../../components/form/number-list.ts';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { ExtraChannels } from './extra-channels.tsx';
import { emptyExtraChannel, fromValues, type GatewayProfileValues } from './gateway-profile-values.ts';

interface Props {
  initial: GatewayProfileValues;
  isNew?: boolean;
  submit: string;
  onSubmit: (gatewayProfile: ReturnType<typeof fromValues>) => Promise<unknown>;
  onSaved: () => void;
}

export function GatewayProfileForm({ initial, isNew = false, submit, onSubmit, onSaved }: Props) {
  const form = useMessageForm('GatewayProfile', { values: initial });
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
    <MessageForm
      form={form}
      submit={submit}
      actions={addChannel}
      onSubmit={(values) => onSubmit(fromValues(values))}
      onSaved={onSaved}
    >
      <TextField name="name" />
      <NumberField
        name="statsInterval"
        validate={(seconds: number) => (seconds > 0 ? null : 'The interval must be longer than 0 seconds.')}
      />
      <TextField name="channels" placeholder="0, 1, 2" validate={(text: string) => numberListProblem(text)} />
      {isNew && (
        <ResourceSelectField name="networkServerID" query={query('networkServer', 'list', { limit: 999, offset: 0 })} />
      )}
      <ExtraChannels channels={extraChannels} onChange={(channels) => form.set('extraChannels', channels)} />
    </MessageForm>
  );
}
