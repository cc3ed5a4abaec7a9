import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Lines } from '../../components/copy/lines.tsx';
import { downloadText } from '../../components/download/download.ts';

/** Shows recovery codes, which the server does not show again. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n');
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={false} title="Recovery codes">
      <Stack>
        <Text>
          Store these codes where you find them without your phone. Each replaces the code of the app once. They are not
          shown again.
        </Text>
        <Lines text={text} label="recovery codes" />
        <Group justify="flex-end">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => downloadText('hilltop-recovery-codes.txt', `${text}\n`, 'text/plain')}
          >
            Download
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
