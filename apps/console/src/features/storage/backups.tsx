import type { Operations, ResponseOf, StoredBackup } from '@hilltop/contract';
import { Alert, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useCommandLine } from '../../api/use-command-line.ts';
import { Facts } from '../../components/facts/facts.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { Status } from '../../components/status/status.tsx';
import { Section } from './section.tsx';
import { sizeText } from './size-text.ts';

type Storage = ResponseOf<Operations['storage']['get']>;

const columns: Column<StoredBackup>[] = [
  { header: 'File', primary: true, share: 3, cell: ({ file }) => <span className="identifier">{file}</span> },
  { header: 'State', share: 2, wraps: true, card: 'aside', cell: (backup) => <BackupState backup={backup} /> },
  { header: 'Started', width: 130, card: 'folded', cell: ({ startedAt }) => <LastSeen at={startedAt} /> },
  {
    header: 'Size',
    align: 'right',
    width: 110,
    card: 'folded',
    cell: ({ bytes }) => (bytes > 0 ? sizeText(bytes) : '–'),
  },
  { header: 'Instance', card: 'folded', cell: ({ instance }) => instance },
];

function BackupState({ backup: { endedAt, problem } }: { backup: StoredBackup }) {
  if (endedAt === null) return <Status tone="never">Is being written</Status>;
  if (problem === '') return <Status tone="active">Written</Status>;
  return (
    <span title={problem}>
      <Status tone="inactive">Failed</Status>
    </span>
  );
}

/** The scheduled backups and their settings. */
export function Backups({ storage }: { storage: Storage }) {
  const commandLine = useCommandLine();
  const { backupDirectory, backupHours, backupKeep, backupProblem, backups } = storage;
  if (backupDirectory === '' && backups.length === 0)
    return (
      <Section title="Backups">
        <Text c="dimmed" maw={720}>
          The server writes no backups. Name a directory for them by the setting HILLTOP_BACKUP_DIR, or write one
          yourself with {commandLine('backup', 'FILE')}.
        </Text>
      </Section>
    );
  return (
    <Section title="Backups">
      {backupProblem !== '' && (
        <Alert color="red" icon={<IconAlertCircle size={18} />} title="The last backup failed" mb="sm">
          {backupProblem}
        </Alert>
      )}
      <Facts
        facts={[
          ['Directory', backupDirectory],
          ['Every', `${backupHours} h`],
          ['Stored', `the newest ${backupKeep}`],
        ]}
      />
      {backups.length === 0 ? (
        <Text c="dimmed" mt="sm">
          The first backup is written within a minute after the start.
        </Text>
      ) : (
        <DataTable label="Backups" columns={columns} rows={backups} rowKey={({ file }) => file} />
      )}
    </Section>
  );
}
