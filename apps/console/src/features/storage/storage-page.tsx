import type { Operations, ResponseOf, StorageUse } from '@hilltop/contract';
import { storageParts } from '@hilltop/contract/storage-parts';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { FactCard } from '../../components/facts/facts.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { Backups } from './backups.tsx';
import { MailTest } from './mail-test.tsx';
import { Section } from './section.tsx';
import { sizeText } from './size-text.ts';

const refreshMs = 30_000;

type Storage = ResponseOf<Operations['storage']['get']>;

/** How much the installation stores and what limits it, its backups, and a test of its mail server. */
export function StoragePage() {
  const storage = useQuery({ ...query('storage', 'get', {}), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader title="Storage" />
      <Loaded query={storage}>
        {(found) => (
          <Stack>
            <Space storage={found} />
            <Backups storage={found} />
            <MailTest />
            <Library />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

const days = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`;

function limitText({ limitDays, limitBytes }: StorageUse): string {
  const limits = [limitDays > 0 && days(limitDays), limitBytes > 0 && sizeText(limitBytes)].filter(Boolean);
  return limits.join(', ') || '–';
}

function sizeOf({ part, isSizeKnown, bytes }: StorageUse): string {
  if (!isSizeKnown) return 'In the database';
  // It gets events from there within an hour.
  return part === 'HISTORY' && bytes === 0 ? 'In the event log' : sizeText(bytes);
}

const columns: Column<StorageUse>[] = [
  {
    header: 'Part',
    primary: true,
    cell: ({ part }) => storageParts[part].label,
  },
  {
    header: 'Size',
    align: 'right',
    width: 120,
    card: 'aside',
    cell: sizeOf,
  },
  {
    header: 'Oldest',
    width: 130,
    card: 'folded',
    cell: ({ oldestAt }) => (oldestAt ? <LastSeen at={oldestAt} /> : '–'),
  },
  { header: 'Limit', width: 140, card: 'folded', cell: limitText },
  {
    header: 'Settings',
    share: 3,
    wraps: true,
    card: 'folded',
    cell: ({ settings }) => settings.join(', ') || '–',
  },
];

function Space({ storage: { parts, diskBytes, freeBytes, isEmbedded } }: { storage: Storage }) {
  return (
    <Section title="Space">
      <Text mb="sm">
        {sizeText(freeBytes)} of {sizeText(diskBytes)} are free on the disk of the data directory.
        {isEmbedded ? '' : ' The database is on PostgreSQL.'}
      </Text>
      <DataTable label="Space" columns={columns} rows={parts} rowKey={({ part }) => part} />
    </Section>
  );
}

function Library() {
  const { data } = useQuery(query('library', 'get', {}));
  const version = data && (data.version || 'None is installed');
  return (
    <FactCard
      title="Device library"
      facts={[
        ['Version', version],
        ['Installed', data?.installedAt && <LastSeen key="installed" at={data.installedAt} />],
        [
          'Update',
          <AppLink key="library" to={paths.deviceLibrary()}>
            Device library
          </AppLink>,
        ],
      ]}
    />
  );
}
