import type { DeviceListItem } from '@hilltop/contract';
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconQrcode, IconUsersGroup } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import type { useJobActions } from '../../components/job/job-actions.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Selection } from '../../components/list/use-selection.tsx';
import { Menu, MenuItem } from '../../components/menu/menu.tsx';
import { ErrorState, InlineError } from '../../components/states/states.tsx';
import { toast } from '../../components/toast/toast.ts';
import { paths } from '../../paths.ts';

interface SelectedDevicesProps {
  selection: Selection<DeviceListItem>;
  jobs?: Pick<ReturnType<typeof useJobActions>, 'isOffered' | 'open' | 'items' | 'dialog'>;
}

/** Actions for the selected devices. */
export function SelectedDevices({ selection, jobs }: SelectedDevicesProps) {
  const [isAdding, setAdding] = useState(false);
  const { organizationID, applicationID } = useIDs();
  const navigate = useNavigate();
  const { count, matching } = selection;
  const printLabels = () =>
    navigate({
      to: paths.deviceLabels(organizationID, applicationID),
      search: { devices: [...selection.chosen.keys()].join(',') } as never,
    });
  return (
    <>
      <Menu
        label="Selected devices"
        trigger={(trigger) => (
          <Button
            variant="default"
            disabled={count === 0}
            leftSection={<IconUsersGroup size={16} />}
            rightSection={<IconChevronDown size={16} />}
            {...trigger}
          >
            {count === 0 ? 'Selected devices' : `Selected devices (${count.toLocaleString('en')})`}
          </Button>
        )}
      >
        <MenuItem
          icon={<IconUsersGroup size={16} />}
          onChoose={() => (matching ? jobs?.open('ADD_TO_MULTICAST_GROUP') : setAdding(true))}
        >
          Add to multicast group
        </MenuItem>
        {!matching && applicationID !== '' && (
          <MenuItem icon={<IconQrcode size={16} />} onChoose={() => void printLabels()}>
            Print labels
          </MenuItem>
        )}
        {jobs?.items}
      </Menu>
      {jobs?.dialog}
      <Modal opened={isAdding} onClose={() => setAdding(false)} title="Add devices to multicast-group">
        <AddForm selection={selection} onClose={() => setAdding(false)} />
      </Modal>
    </>
  );
}

function AddForm({ selection, onClose }: { selection: Selection<DeviceListItem>; onClose: () => void }) {
  const { organizationID, applicationID } = useIDs();
  const [groupID, setGroupID] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const [failures, setFailures] = useState<Failure[]>([]);
  const groups = useQuery(query('multicastGroup', 'list', { applicationID, limit: 999, offset: 0 }));

  async function add(event: FormEvent) {
    event.preventDefault();
    if (groupID === null) return;
    setPending(true);
    const outcome = await addAll(groupID, [...selection.chosen.values()]);
    setPending(false);
    selection.drop([...selection.chosen.keys()].filter((key) => !outcome.failures.some(({ of }) => of.devEUI === key)));
    setFailures(outcome.failures);
    if (outcome.added + outcome.alreadyIn > 0) toast.success(sentenceOf(outcome));
    if (outcome.failures.length === 0) onClose();
  }

  if (groups.error) return <ErrorState error={groups.error} retry={() => void groups.refetch()} />;
  const offered = groups.data?.result ?? [];
  if (groups.data && offered.length === 0)
    return (
      <Text>
        This application has no multicast-group yet.{' '}
        <AppLink to={paths.multicastGroup.create(organizationID, applicationID)}>Create one</AppLink> first.
      </Text>
    );
  return (
    <form onSubmit={(event) => void add(event)}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {selection.chosen.size === 1 ? '1 device is selected.' : `${selection.chosen.size} devices are selected.`}
        </Text>
        <Select
          label="Multicast-group"
          placeholder={groups.isPending ? 'Loading ...' : 'Choose ...'}
          data={offered.map(({ id, name }) => ({ value: id, label: name }))}
          value={groupID}
          onChange={setGroupID}
          allowDeselect={false}
          searchable
          withAsterisk
          openOnFocus={false}
          data-autofocus
        />
        {failures.slice(0, 5).map(({ of, error }) => (
          <div key={of.devEUI}>
            <Text size="sm" fw={600}>
              {of.name}
            </Text>
            <InlineError error={error} />
          </div>
        ))}
        {failures.length > 5 && <Text size="sm">{`${failures.length - 5} more could not be added.`}</Text>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending}>
            Cancel
          </Button>
          <Button type="submit" loading={pending} disabled={groupID === null || selection.chosen.size === 0}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Failure {
  of: DeviceListItem;
  error: unknown;
}

interface Outcome {
  added: number;
  alreadyIn: number;
  failures: Failure[];
}

/** One call per device, because the API adds one; a device that is already a member is not an error. */
async function addAll(multicastGroupID: string, devices: readonly DeviceListItem[]): Promise<Outcome> {
  const outcome: Outcome = { added: 0, alreadyIn: 0, failures: [] };
  for (const device of devices) {
    try {
      await perform(api.multicastGroup.addDevice({ multicastGroupID, devEUI: device.devEUI }));
      outcome.added += 1;
    } catch (error) {
      if (error instanceof ApiError && error.code === 6) outcome.alreadyIn += 1;
      else outcome.failures.push({ of: device, error });
    }
  }
  await perform(Promise.resolve(), { changed: ['multicastGroup', 'device'] });
  return outcome;
}

/** `3 devices have been added to multicast-group, 1 was in it already` */
export function sentenceOf({ added, alreadyIn }: Pick<Outcome, 'added' | 'alreadyIn'>): string {
  const devices = added === 1 ? 'device has been' : `${added} devices have been`;
  const sentence = `${devices} added to multicast-group`;
  if (alreadyIn === 0) return sentence;
  const others = alreadyIn === 1 ? '1 was in it already' : `${alreadyIn} were in it already`;
  return added === 0 ? `no device has been added to multicast-group: ${others}` : `${sentence}, ${others}`;
}
