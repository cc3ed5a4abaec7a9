import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconAlertTriangle, IconSignature } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { CopyButton } from '../../components/copy/copy.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { Status } from '../../components/status/status.tsx';
import type { DeliveryOwner } from './delivered.ts';

/** The calls for the secret of an application's integration, or of an organization's. */
function signingOf({ applicationID, organizationID }: DeliveryOwner) {
  if (organizationID === undefined) {
    const of = { applicationID };
    return {
      resource: 'integration' as const,
      read: query('integration', 'getSigningSecret', of),
      make: () => api.integration.makeSigningSecret(of),
      remove: () => api.integration.deleteSigningSecret(of),
    };
  }
  const of = { organizationID };
  return {
    resource: 'gatewayIntegration' as const,
    read: query('gatewayIntegration', 'getSigningSecret', of),
    make: () => api.gatewayIntegration.makeSigningSecret(of),
    remove: () => api.gatewayIntegration.deleteSigningSecret(of),
  };
}

/** The secret that signs requests of the HTTP integration, so that the endpoint can verify their origin. */
export function SigningSecret({ owner }: { owner: DeliveryOwner }) {
  const signing = signingOf(owner);
  const read = useQuery(signing.read);
  return (
    <Paper component="section" p="md" aria-labelledby="signing-secret">
      <Stack>
        <Title order={2} id="signing-secret">
          Signature
        </Title>
        <Text c="dimmed">
          Signed requests have the header webhook-signature (Standard Webhooks). With the secret, the receiver can
          verify that a request comes from this server and is unchanged.
        </Text>
        <Loaded query={read}>{({ isSet }) => <Secret signing={signing} isSet={isSet} />}</Loaded>
      </Stack>
    </Paper>
  );
}

function Secret({ signing, isSet }: { signing: ReturnType<typeof signingOf>; isSet: boolean }) {
  const [asking, setAsking] = useState<'replace' | 'remove' | null>(null);
  const make = useMutation({
    mutationFn: () =>
      perform(signing.make(), {
        changed: [signing.resource],
        done: 'signing secret has been created',
      }),
  });
  const remove = async () => {
    await perform(signing.remove(), {
      changed: [signing.resource],
      done: 'signing secret has been removed',
    });
    make.reset();
  };
  return (
    <>
      <Status tone={isSet ? 'active' : 'never'}>{isSet ? 'Events are signed' : 'Events are not signed'}</Status>
      <InlineError error={make.error} />
      {make.data && (
        <>
          <Alert variant="default" icon={<IconAlertTriangle color="var(--state-attention)" />}>
            The secret is shown only once. Copy it to the receiver.
          </Alert>
          <TextInput
            label="Signing secret"
            readOnly
            value={make.data.secret}
            rightSection={<CopyButton value={make.data.secret} label="Copy signing secret" />}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
        </>
      )}
      <Group justify="flex-end" gap="xs">
        {isSet && (
          <Button variant="default" color="red" onClick={() => setAsking('remove')}>
            Sign no more
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconSignature size={16} />}
          loading={make.isPending}
          onClick={() => (isSet ? setAsking('replace') : make.mutate())}
        >
          {isSet ? 'Replace the secret' : 'Sign events'}
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking !== null}
        onClose={() => setAsking(null)}
        title={asking === 'remove' ? 'Sign no more?' : 'Replace the secret?'}
        question={
          asking === 'remove'
            ? 'Receivers that verify signatures will reject new requests.'
            : 'Receivers with the old secret will reject requests until you give them the new one.'
        }
        action={asking === 'remove' ? 'Sign no more' : 'Replace'}
        onConfirm={async () => {
          if (asking === 'remove') await remove();
          else await make.mutateAsync();
        }}
      />
    </>
  );
}
