import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { SelectField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { type KeyScope, useKeyScope } from './key-scope.ts';
import { NewToken } from './new-token.tsx';

const dayMs = 24 * 60 * 60 * 1000;

/** When a new key can expire, from now on. */
const expiries = (nowMs: number) => [
  { value: '', label: 'Never' },
  ...[
    [30, '30 days'],
    [90, '90 days'],
    [365, '1 year'],
  ].map(([days, label]) => ({
    value: new Date(nowMs + Number(days) * dayMs).toISOString(),
    label: `In ${label}`,
  })),
];

/** Asks for a name and an end, then shows the token of the new key this once. */
export function APIKeyCreate() {
  const scope = useKeyScope();
  const navigate = useNavigate();
  const [created, setCreated] = useState<{ id: string; name: string; token: string } | null>(null);
  return (
    <>
      <PageHeader crumbs={[{ label: scope.title, to: scope.list }]} title="Create API key" />
      {created ? (
        <NewToken {...created} onDone={() => void navigate({ to: scope.list })} />
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
  const form = useMessageForm('APIKey', { values: { name: '', expiresAt: '' } });
  const [choices] = useState(() => expiries(Date.now()));
  return (
    <MessageForm
      form={form}
      submit="Create API key"
      onSubmit={async ({ name, expiresAt }) => {
        const call = api.internal.createAPIKey({ apiKey: { ...scope, name, ...(expiresAt && { expiresAt }) } });
        onCreated(name, await perform(call, { changed: ['internal'], done: 'api key has been created' }));
      }}
    >
      <TextField name="name" />
      <SelectField name="expiresAt" options={choices} />
    </MessageForm>
  );
}
