import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { SelectField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { type KeyScope, useCanExpire, useKeyScope } from './key-scope.ts';
import { NewToken } from './new-token.tsx';

const dayMs = 24 * 60 * 60 * 1000;

/** The lifetimes of a new key, in days. */
const expiries = [
  { value: 0, label: 'Never' },
  { value: 30, label: 'In 30 days' },
  { value: 90, label: 'In 90 days' },
  { value: 365, label: 'In 1 year' },
];

const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

/** Asks for a name and an expiry, then shows the token of the new key once. */
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
  // The form holds a number of days in the expiry field; it becomes a date when the key is created.
  const form = useMessageForm('APIKey', { values: { name: '', expiresAt: 0 } });
  const canExpire = useCanExpire();
  return (
    <MessageForm
      form={form}
      submit="Create API key"
      onSubmit={async ({ name, expiresAt: days }) => {
        const end = days > 0 && { expiresAt: inDays(days) };
        const call = api.internal.createAPIKey({ apiKey: { ...scope, name, ...end } });
        onCreated(name, await perform(call, { changed: ['internal'], done: 'api key has been created' }));
      }}
    >
      <TextField name="name" />
      {canExpire && <SelectField name="expiresAt" options={expiries} />}
    </MessageForm>
  );
}
