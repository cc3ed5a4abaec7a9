import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconLock, IconRefresh } from '@tabler/icons-react';
import { ApiError } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';

/** An error in place, with a retry button; a refusal has none. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error instanceof ApiError && error.code === 7)
    return (
      <Alert color="gray" icon={<IconLock />} title="No permission" role="alert">
        Your account does not have permission for this. Ask an administrator for the required role.
      </Alert>
    );
  return (
    <Alert color="red" icon={<IconAlertCircle />} title="This could not be loaded" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{explain(error)}</Text>
        {retry && (
          <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** An error beside the form or button that caused it; renders nothing without one. */
export function InlineError({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert" p="xs">
      {explain(error)}
    </Alert>
  );
}
