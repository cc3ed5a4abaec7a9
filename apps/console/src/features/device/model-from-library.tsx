import type { DeviceLabel } from '@hilltop/lorawan/tr005';
import { Button, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { ModelSearch } from '../../components/library/model-search.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import type { LibraryChoice } from './profile-from-library.ts';

const longestName = 100;

interface Props {
  label: DeviceLabel | undefined;
  choice: LibraryChoice | undefined;
  onChoice: (choice: LibraryChoice) => void;
}

/** Chooses the model of a device from the device library. */
export function ModelFromLibrary({ label, choice, onChoice }: Props) {
  const { organizationID } = useIDs();
  const [areAllShown, setAllShown] = useState(false);
  const [networkServerID, setNetworkServerID] = useState<string | null>(choice?.networkServerID ?? null);
  const networkServers = useQuery(query('networkServer', 'list', { organizationID, limit: 999, offset: 0 }));
  const scanned = codeOf(label);
  const ofCode = useQuery({
    ...query('library', 'listModels', { ...scanned, limit: 1, offset: 0 }),
    enabled: scanned !== undefined,
  });
  const isUnknown = scanned !== undefined && ofCode.data?.totalCount === '0';
  const code = areAllShown || isUnknown ? undefined : scanned;
  return (
    <Loaded query={networkServers}>
      {({ result: known }) => (
        // Enter in the search does not submit the form around it.
        <Stack
          gap="xs"
          mt="xs"
          onKeyDown={(event) =>
            event.key === 'Enter' && event.target instanceof HTMLInputElement && event.preventDefault()
          }
        >
          {known.length > 1 && (
            <Select
              label="Network-server"
              data={known.map(({ id, name }) => ({ value: id, label: name }))}
              value={networkServerID ?? known[0]?.id ?? null}
              onChange={(id) => {
                setNetworkServerID(id);
                if (choice && id !== null) onChoice({ ...choice, networkServerID: id });
              }}
              allowDeselect={false}
            />
          )}
          {isUnknown && <Text c="dimmed">The device library has no model with this code. Choose the model:</Text>}
          <ModelSearch
            key={String(code === undefined)}
            selected={choice?.modelID}
            onSelect={({ id, vendor, name }) =>
              onChoice({
                modelID: id,
                name: `${vendor} ${name}`.slice(0, longestName),
                networkServerID: networkServerID ?? known[0]?.id ?? '',
              })
            }
            {...code}
          />
          {code && (
            <Button
              variant="subtle"
              size="compact-sm"
              style={{ alignSelf: 'flex-start' }}
              onClick={() => setAllShown(true)}
            >
              Search all models
            </Button>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

/** The numbers of a code, as the library has them. */
function codeOf(label: DeviceLabel | undefined) {
  if (label?.vendorID === undefined || label.profileID === undefined) return undefined;
  return { vendorID: Number.parseInt(label.vendorID, 16), profileID: Number.parseInt(label.profileID, 16) };
}
