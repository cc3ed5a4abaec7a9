import { Alert, Button, Group, Text } from '@mantine/core';
import { useReturnPath } from './use-return-path.ts';

/** Names the page that this page returns to, with a link to it. */
export function ReturnLink({ usual }: { usual: string }) {
  const { from, goBack } = useReturnPath();
  if (from === undefined) return null;
  return (
    <Alert variant="default" role="status" p="xs" mb="md">
      <Group justify="space-between">
        <Text size="sm">After you create it, you return to “{from}”, as you left it.</Text>
        <Button size="compact-xs" variant="subtle" onClick={() => goBack(usual)}>
          Back without it
        </Button>
      </Group>
    </Alert>
  );
}
