import type { LibraryUpdate } from '@hilltop/contract';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconBooks } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ProfileChanges } from '../../components/library/profile-changes.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { InlineError } from '../../components/states/states.tsx';
import { useMay } from '../../session/session.tsx';

/** Says that the library has a newer version of the model of a device-profile. It changes nothing by itself. */
export function LibraryUpdateNotice() {
  const { deviceProfileID } = useIDs();
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    ...query('library', 'getUpdate', { deviceProfileID }),
    enabled: deviceProfileID !== '',
    retry: false,
  });
  if (!data?.isAvailable) return null;
  return (
    <Alert icon={<IconBooks />} title={titleOf(data)} mb="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {data.vendor} {data.modelName} has changed since this device-profile was created from it or updated.
        </Text>
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          Show the difference
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Update from the library" size="xl">
        <UpdateDialog update={data} deviceProfileID={deviceProfileID} onDone={() => setOpen(false)} />
      </Modal>
    </Alert>
  );
}

const titleOf = ({ changes }: LibraryUpdate) =>
  changes.some(({ field }) => field.endsWith('Script'))
    ? 'A newer codec is in the library'
    : 'A newer profile is in the library';

interface DialogProps {
  update: LibraryUpdate;
  deviceProfileID: string;
  onDone: () => void;
}

function UpdateDialog({ update, deviceProfileID, onDone }: DialogProps) {
  const may = useMay();
  const [failure, setFailure] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const apply = async () => {
    setPending(true);
    setFailure(null);
    const changed = ['library', 'deviceProfile'] as const;
    await perform(api.library.applyUpdate({ deviceProfileID }), {
      changed: [...changed],
      done: 'device-profile has been updated',
    }).then(onDone, setFailure);
    setPending(false);
  };
  return (
    <Stack gap="sm">
      <ProfileChanges changes={update.changes} />
      <Text c="dimmed" size="sm">
        The update replaces these values and the test vectors. The name, your tags and all other values stay.
      </Text>
      <InlineError error={failure} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone} disabled={isPending}>
          Cancel
        </Button>
        {may('library.applyUpdate') && (
          <Button loading={isPending} onClick={() => void apply()}>
            Update device-profile
          </Button>
        )}
      </Group>
    </Stack>
  );
}
