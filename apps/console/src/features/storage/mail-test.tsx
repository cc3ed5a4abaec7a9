import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { query } from '../../api/queries.ts';
import { Section } from './section.tsx';

/** Sends a mail to an address, and shows what the mail server said. */
export function MailTest() {
  const { data: mail } = useQuery(query('mail', 'get', {}));
  const [address, setAddress] = useState('');
  const test = useMutation({ mutationFn: () => api.mail.test({ address }) });
  const send = (event: FormEvent) => {
    event.preventDefault();
    test.mutate();
  };
  const result = test.data?.result;
  if (mail?.isSetUp === false)
    return (
      <Section title="Mail">
        <Text c="dimmed" maw={720}>
          The server sends no mail. Name a mail server by the settings HILLTOP_SMTP_URL and HILLTOP_SMTP_FROM.
        </Text>
      </Section>
    );
  return (
    <Section title="Mail">
      <form onSubmit={send}>
        <Group align="end">
          <TextInput
            label="Address"
            type="email"
            required
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={test.isPending}>
            Send a test mail
          </Button>
        </Group>
      </form>
      <Text role="status" mt="xs" {...(!result?.isSent && { c: 'red' })}>
        {test.error && explain(test.error)}
        {result && (result.isSent ? `The mail server took the mail in ${result.milliseconds} ms.` : result.problem)}
      </Text>
    </Section>
  );
}
