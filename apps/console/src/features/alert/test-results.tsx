import type { AlertTestResult } from '@hilltop/contract';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Status } from '../../components/status/status.tsx';

/** What came of a test message, for each receiver. */
export function TestResults({ results, onClose }: { results: readonly AlertTestResult[]; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Test message">
      <Stack>
        {results.map(({ receiver, isSent, status, problem, milliseconds }) => (
          <div key={receiver}>
            <Group gap="xs" justify="space-between">
              <Text fw={600}>{receiver}</Text>
              <Status tone={isSent ? 'active' : 'inactive'}>{isSent ? 'sent' : 'not sent'}</Status>
            </Group>
            <Text c="dimmed">
              {[status > 0 ? `Status ${status}` : '', `${milliseconds} ms`].filter((part) => part !== '').join(', ')}
            </Text>
            {problem !== '' && <Text>{problem}</Text>}
          </div>
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
