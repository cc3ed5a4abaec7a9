import type { LibraryModelListItem } from '@hilltop/contract';
import type { DeviceLabel } from '@hilltop/lorawan/tr005';
import { Button, Group, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ModelSearch } from '../../components/library/model-search.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { InlineError } from '../../components/states/states.tsx';

interface Props {
  label: DeviceLabel | undefined;
  onCreated: (deviceProfileID: string) => void;
}

/** Creates the device-profile of a device from the device library. */
export function ModelFromLibrary({ label, onCreated }: Props) {
  const { organizationID } = useIDs();
  const [model, setModel] = useState<LibraryModelListItem>();
  const [areAllShown, setAllShown] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const networkServers = useQuery(query('networkServer', 'list', { organizationID, limit: 999, offset: 0 }));
  const known = networkServers.data?.result ?? [];
  const networkServerID = chosen ?? known[0]?.id;
  const code = areAllShown ? undefined : codeOf(label);

  async function create() {
    if (!model || networkServerID === undefined) return;
    setPending(true);
    setFailure(null);
    try {
      const id = await createProfile(organizationID, networkServerID, model, label);
      onCreated(id);
    } catch (error) {
      setFailure(error);
    } finally {
      setPending(false);
    }
  }

  return (
    // Enter in the search does not submit the form around it.
    <Stack
      gap="xs"
      onKeyDown={(event) => event.key === 'Enter' && event.target instanceof HTMLInputElement && event.preventDefault()}
    >
      <ModelSearch key={String(areAllShown)} selected={model?.id} onSelect={setModel} {...code} />
      {code && (
        <Button variant="subtle" size="compact-sm" onClick={() => setAllShown(true)}>
          Search all models
        </Button>
      )}
      {known.length > 1 && (
        <Select
          label="Network-server"
          data={known.map(({ id, name }) => ({ value: id, label: name }))}
          value={networkServerID ?? null}
          onChange={setChosen}
          allowDeselect={false}
        />
      )}
      <InlineError error={failure} />
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={isPending}
          disabled={!model || networkServerID === undefined}
          onClick={() => void create()}
        >
          Create device-profile
        </Button>
      </Group>
    </Stack>
  );
}

/** The numbers of a code, as the library has them. */
function codeOf(label: DeviceLabel | undefined) {
  if (label?.vendorID === undefined || label.profileID === undefined) return undefined;
  return { vendorID: Number.parseInt(label.vendorID, 16), profileID: Number.parseInt(label.profileID, 16) };
}

/** Resolves with the id. The tags let the next code of this kind find the device-profile. */
async function createProfile(
  organizationID: string,
  networkServerID: string,
  { id: modelID, vendor, name }: LibraryModelListItem,
  label: DeviceLabel | undefined,
): Promise<string> {
  const { id } = await api.library.createProfile({
    organizationID,
    networkServerID,
    modelID,
    name: `${vendor} ${name}`.slice(0, 100),
    version: '',
    profileID: '',
  });
  if (label?.vendorID !== undefined && label.profileID !== undefined) {
    const { vendorID, profileID } = label;
    const { deviceProfile } = await api.deviceProfile.get({ id });
    await api.deviceProfile.update({
      deviceProfile: { ...deviceProfile, tags: { ...deviceProfile.tags, vendorID, profileID } },
    });
  }
  await perform(Promise.resolve(), { changed: ['deviceProfile', 'library'], done: 'device-profile has been created' });
  return id;
}
