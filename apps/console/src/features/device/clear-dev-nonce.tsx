import { Button, Paper, Text } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { Explained } from '../../components/words/explained.tsx';

/** Clears the stored DevNonces, so that a device that restarts its counter can join again. */
export function ClearDevNonce({ devEUI }: { devEUI: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Paper component="section" p="md" aria-label="DevNonces">
      <Explained word="devNonce" mb="sm" />
      <Button variant="default" leftSection={<IconEraser size={16} />} onClick={() => setOpen(true)}>
        Clear DevNonce
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Clear DevNonce?"
        question="Are you sure you want to clear the used DevNonces of this device?"
        action="Clear DevNonce"
        onConfirm={() =>
          perform(api.device.clearDeviceNonces({ devEUI }), { changed: ['device'], done: 'device devNonce deleted' })
        }
      >
        <Text size="sm" c="dimmed">
          A device may use each DevNonce only once, so that a recorded join-request cannot be replayed. A device that
          restarts its counter after a reset is refused until you clear its DevNonces. The latest 20 DevNonces stay.
        </Text>
      </ConfirmDialog>
    </Paper>
  );
}
