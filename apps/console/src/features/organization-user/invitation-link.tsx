import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCopy } from '@tabler/icons-react';
import { copyText } from '../../components/copy/copy.tsx';

export interface SentInvitation {
  email: string;
  link: string;
  /** Why no mail was sent; empty unless one was wanted. */
  mailProblem: string;
}

/** The link of an invitation, which the server does not return again. */
export function InvitationLink({ email, link, mailProblem, onDone }: SentInvitation & { onDone: () => void }) {
  const address = new URL(link, location.origin).href;
  return (
    <Stack>
      {mailProblem !== '' && (
        <Alert color="red" icon={<IconAlertTriangle />} title="The mail could not be sent">
          {mailProblem}
        </Alert>
      )}
      <Text>Give this link to {email}. The first person who opens it can accept the invitation with that address.</Text>
      <TextInput
        label="Link"
        description="It works once, until the invitation expires, and is shown only now."
        value={address}
        readOnly
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
        <Button data-autofocus leftSection={<IconCopy size={16} />} onClick={() => void copyText(address)}>
          Copy link
        </Button>
      </Group>
    </Stack>
  );
}
