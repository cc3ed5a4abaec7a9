import type { LibraryProfileUse } from '@hilltop/contract';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ProfileChanges } from '../../components/library/profile-changes.tsx';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';

/** One call updates this many; the button is pressed again for the rest. */
const atOnce = 100;

/** The device-profiles that were created from a model, with the difference of each and one button that updates them. */
export function UpdateProfiles({ modelID }: { modelID: string }) {
  const found = useQuery(query('library', 'listProfiles', { modelID, limit: atOnce, offset: 0 }));
  return (
    <Loaded query={found}>
      {({ totalCount, updateCount, result }) =>
        totalCount === '0' ? (
          <EmptyState title="No device-profiles yet">No organization has created one from this model.</EmptyState>
        ) : (
          <Profiles modelID={modelID} rows={result} totalCount={totalCount} updateCount={Number(updateCount)} />
        )
      }
    </Loaded>
  );
}

interface Props {
  modelID: string;
  rows: readonly LibraryProfileUse[];
  totalCount: string;
  updateCount: number;
}

function Profiles({ modelID, rows, totalCount, updateCount }: Props) {
  const [compared, setCompared] = useState<LibraryProfileUse | null>(null);
  const outdated = rows.filter(({ isUpdateAvailable }) => isUpdateAvailable);
  const columns: Column<LibraryProfileUse>[] = [
    {
      header: 'Device-profile',
      primary: true,
      cell: ({ name, organizationID, deviceProfileID }) => (
        <AppLink to={paths.deviceProfile.one(organizationID, deviceProfileID)}>{name}</AppLink>
      ),
    },
    { header: 'Organization', card: 'cut', cell: ({ organizationName }) => organizationName },
    {
      header: 'State',
      fit: true,
      card: 'aside',
      cell: ({ isUpdateAvailable }) =>
        isUpdateAvailable ? <Status tone="attention">Update</Status> : <Status tone="active">Current</Status>,
    },
    {
      header: 'Difference',
      hideHeader: true,
      fit: true,
      cell: (row) =>
        row.isUpdateAvailable && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Difference of ${row.name}`}
            onClick={() => setCompared(row)}
          >
            Difference
          </Button>
        ),
    },
  ];
  return (
    <Stack gap="sm">
      <UpdateAll modelID={modelID} rows={outdated} updateCount={updateCount} />
      <DataTable label="Device-profiles" columns={columns} rows={rows} rowKey={(row) => row.deviceProfileID} />
      {Number(totalCount) > rows.length && (
        <Text c="dimmed" size="sm">
          The first {rows.length} of {totalCount}, those with an update first.
        </Text>
      )}
      {compared && <Difference key={compared.deviceProfileID} of={compared} />}
    </Stack>
  );
}

function Difference({ of: { deviceProfileID, name } }: { of: LibraryProfileUse }) {
  const found = useQuery(query('library', 'getUpdate', { deviceProfileID }));
  return (
    <section aria-label={`Difference of ${name}`}>
      <Text fw={600} mb="xs">
        {name}
      </Text>
      <Loaded query={found}>
        {({ changes }) =>
          changes.length === 0 ? <Text c="dimmed">No difference.</Text> : <ProfileChanges changes={changes} />
        }
      </Loaded>
    </section>
  );
}

function UpdateAll({ modelID, rows, updateCount }: Pick<Props, 'modelID' | 'rows' | 'updateCount'>) {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [problems, setProblems] = useState<readonly { deviceProfileID: string; text: string }[]>([]);
  const update = async () => {
    setPending(true);
    setFailure(null);
    const deviceProfileIDs = rows.map(({ deviceProfileID }) => deviceProfileID);
    const call = api.library.updateProfiles({ modelID, deviceProfileIDs });
    await perform(call, { changed: ['library', 'deviceProfile'], done: 'device-profiles have been updated' }).then(
      (answer) => setProblems(answer.problems),
      setFailure,
    );
    setPending(false);
  };
  return (
    <>
      <Group justify="space-between">
        <Text c="dimmed" role="status">
          {updateCount === 0 ? 'All are current.' : `${updateCount} can be updated.`}
        </Text>
        {updateCount > 0 && (
          <Button loading={isPending} onClick={() => void update()}>
            {rows.length === 1
              ? 'Update the device-profile'
              : `Update the ${rows.length} device-profiles created from it`}
          </Button>
        )}
      </Group>
      <InlineError error={failure} />
      {problems.length > 0 && (
        <Alert color="orange" title="Some could not be updated">
          {problems.map(({ deviceProfileID, text }) => (
            <Text key={deviceProfileID} size="sm">
              {deviceProfileID}: {text}
            </Text>
          ))}
        </Alert>
      )}
    </>
  );
}
