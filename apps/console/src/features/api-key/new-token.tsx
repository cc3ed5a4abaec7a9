import { Alert, Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCopy } from '@tabler/icons-react';
import { useRef } from 'react';
import { copyText } from '../../components/copy/copy.tsx';
import { UnsavedGuard } from '../../components/form/unsaved-guard.tsx';

interface Props {
  id: string;
  name: string;
  token: string;
  onDone: () => void;
}

const monospace = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

/** The token of a new key, which the server does not return again. Asks before leaving until it has been copied. */
export function NewToken({ id, name, token, onDone }: Props) {
  const isCopied = useRef(false);
  return (
    <>
      <Stack>
        <TextInput label="API key ID" value={id} readOnly styles={monospace} />
        <TextInput label="API key name" value={name} readOnly />
        <Textarea
          label="Token"
          description="Send it as a bearer token in the authorization header of each call."
          rows={5}
          value={token}
          readOnly
          spellCheck={false}
          styles={monospace}
          onFocus={(event) => event.currentTarget.select()}
          onCopy={() => {
            isCopied.current = true;
          }}
        />
        <Alert color="yellow" icon={<IconAlertTriangle />}>
          This token is shown only once. Store it safely: you cannot read it again, only create a new key.
        </Alert>
        <Group justify="flex-end">
          <Button
            leftSection={<IconCopy size={16} />}
            onClick={async () => {
              if (await copyText(token)) isCopied.current = true;
            }}
          >
            Copy token
          </Button>
          <Button variant="default" onClick={onDone}>
            Done
          </Button>
        </Group>
      </Stack>
      <UnsavedGuard
        when={() => !isCopied.current}
        title="Leave without the token?"
        question="You have not copied the token, and it will not be shown again."
      />
    </>
  );
}
