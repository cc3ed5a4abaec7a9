import { Text } from '@mantine/core';
import type { LiveState } from '../../api/live.ts';

/** For pages that wait for live data: the connection is lost, and reconnects by itself. */
export function LostConnection({ state }: { state: LiveState }) {
  if (state !== 'closed') return null;
  return (
    <Text role="status" c="red" size="sm" mt="xs">
      The server cannot be reached. This page reconnects automatically.
    </Text>
  );
}
