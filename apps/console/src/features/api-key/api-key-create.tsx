import type { KeyAccessName } from '@hilltop/contract';
import { Paper } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { type ExpiryValue, expiryTime } from './expiry-choice.tsx';
import { AccessField, ExpiryField } from './key-fields.tsx';
import { type KeyScope, useHasDetails, useKeyScope } from './key-scope.ts';
import { NewToken } from './new-token.tsx';

/** Asks for name, access and expiry, then shows the token of the new key once. */
export function APIKeyCreate() {
  const scope = useKeyScope();
  const navigate = useNavigate();
  const [created, setCreated] = useState<{ id: string; name: string; token: string } | null>(null);
  return (
    <>
      <PageHeader crumbs={[{ label: scope.title, to: scope.list }]} title="Create API key" />
      {created ? (
        <Paper>
          <NewToken {...created} onDone={() => void navigate({ to: scope.list })} />
        </Paper>
      ) : (
        <NameForm scope={scope.of} onCreated={(name, { id, jwtToken }) => setCreated({ id, name, token: jwtToken })} />
      )}
    </>
  );
}

interface NameFormProps {
  scope: KeyScope['of'];
  onCreated: (name: string, answer: { id: string; jwtToken: string }) => void;
}

function NameForm({ scope, onCreated }: NameFormProps) {
  const form = useMessageForm('APIKey', { values: { name: '', access: 'FULL', expiresAt: 0 as ExpiryValue } });
  const hasDetails = useHasDetails();
  return (
    <MessageForm
      form={form}
      submit="Create API key"
      onSubmit={async ({ name, access, expiresAt }) => {
        const end = expiryTime(expiresAt);
        const details = hasDetails && { access: access as KeyAccessName, ...(end && { expiresAt: end }) };
        const call = api.internal.createAPIKey({ apiKey: { ...scope, name, ...details } });
        onCreated(name, await perform(call, { changed: ['internal'], done: 'api key has been created' }));
      }}
    >
      <TextField name="name" />
      {hasDetails && (
        <>
          <AccessField />
          <ExpiryField />
        </>
      )}
    </MessageForm>
  );
}
