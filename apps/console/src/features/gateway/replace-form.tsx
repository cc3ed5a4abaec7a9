import { Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { paths } from '../../paths.ts';
import { UnknownGateways } from './unknown-gateways.tsx';

interface Values {
  gatewayID: string;
  newGatewayID: string;
}

/** Asks for the ID of the gateway that takes the place of another one. */
export function ReplaceForm({ gatewayID, onClose }: { gatewayID: string; onClose: () => void }) {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const form = useMessageForm<Values>('CreateGatewayReplacementRequest', { values: { gatewayID, newGatewayID: '' } });
  const { newGatewayID } = form.values;
  return (
    <Stack gap="sm">
      <Text>
        A new gateway takes the place of a broken one: it gets its name, position, tags, profiles and statistics.
      </Text>
      <Text c="dimmed">
        The ID {gatewayID} is removed, and its certificates and board keys end: issue new ones for the new gateway. To
        undo this, replace the new ID by the old one.
      </Text>
      <UnknownGateways chosen={newGatewayID} onChoose={(unknown) => form.set('newGatewayID', unknown)} />
      <MessageForm
        form={form}
        isNew
        bare
        guarded={false}
        submit="Replace"
        onSubmit={(values) =>
          perform(api.gatewayReplacement.create(values), {
            changed: ['connecting'],
            gone: ['gateway'],
            done: 'gateway has been replaced',
          })
        }
        onSaved={() => {
          onClose();
          void navigate({ to: paths.gateway.one(organizationID, newGatewayID.toLowerCase()) });
        }}
      >
        <HexField name="newGatewayID" bytes={8} data-autofocus />
      </MessageForm>
    </Stack>
  );
}
