import type { TrashEntry, TrashRefusal } from '@hilltop/contract';
import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LastSeen, useNow } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Status } from '../../components/status/status.tsx';
import { toast } from '../../components/toast/toast.ts';
import { restoreEntry } from '../../components/trash/restore.tsx';
import { contentsOf, counted, trashNouns } from '../../components/trash/trash-words.ts';
import { paths } from '../../paths.ts';

/** The deleted records of an organization. */
export function OrganizationTrash() {
  const { organizationID } = useIDs();
  return <TrashList organizationID={organizationID} />;
}

/** The deleted records of all organizations, deleted organizations included. */
export function AllTrash() {
  return (
    <>
      <PageHeader title="Trash" />
      <TrashList />
    </>
  );
}

const containers: ReadonlySet<TrashEntry['kind']> = new Set(['APPLICATION', 'ORGANIZATION']);

interface Refused {
  entry: TrashEntry;
  count: number;
  refused: readonly TrashRefusal[];
}

function TrashList({ organizationID }: { organizationID?: string }) {
  const [removing, setRemoving] = useState<TrashEntry | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [restoring, setRestoring] = useState<string | null>(null);

  async function restore(entry: TrashEntry) {
    setRestoring(entry.id);
    try {
      const { count, refused } = await restoreEntry(entry);
      if (count > 0) setRefused({ entry, count, refused });
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setRestoring(null);
    }
  }

  return (
    <>
      <ResourceList
        label="Deleted records"
        query={({ limit, offset }) =>
          query('trash', 'list', { limit, offset, ...(organizationID !== undefined && { organizationID }) })
        }
        rowKey={({ id }) => id}
        columns={columnsOf({
          isOfAll: organizationID === undefined,
          restoring,
          onRestore: (entry) => void restore(entry),
          onRemove: setRemoving,
        })}
        empty={{
          icon: <IconTrash size={32} />,
          title: 'The trash is empty',
          text: 'Devices, gateways, profiles, applications and organizations that are deleted can be restored here.',
        }}
      />
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Delete ${removing?.name ?? ''} for good?`}
        question="It cannot be restored afterwards."
        name={removing?.name ?? ''}
        mustType={removing !== null && containers.has(removing.kind)}
        action="Delete for good"
        onConfirm={() =>
          perform(api.trash.delete({ id: removing?.id ?? '' }), { changed: ['trash'], done: 'deleted for good' })
        }
      />
      <RefusedDialog refused={refused} onClose={() => setRefused(null)} />
    </>
  );
}

function columnsOf({
  isOfAll,
  restoring,
  onRestore,
  onRemove,
}: {
  isOfAll: boolean;
  restoring: string | null;
  onRestore: (entry: TrashEntry) => void;
  onRemove: (entry: TrashEntry) => void;
}): Column<TrashEntry>[] {
  const organization: Column<TrashEntry> = {
    header: 'Organization',
    card: 'folded',
    cell: ({ organizationID, organizationName }) =>
      organizationName === '' ? (
        'Deleted'
      ) : (
        <AppLink to={paths.organization.one(organizationID)}>{organizationName}</AppLink>
      ),
  };
  return [
    { header: 'Name', primary: true, share: 2, cell: ({ name, recordID }) => <span title={recordID}>{name}</span> },
    { header: 'Kind', fit: true, card: 'plain', cell: ({ kind }) => trashNouns[kind] },
    { header: 'Contains', card: 'folded', cell: (entry) => <Contents of={entry} /> },
    ...(isOfAll ? [organization] : []),
    { header: 'Deleted', width: 120, cell: ({ deletedAt }) => <LastSeen at={deletedAt} /> },
    { header: 'By', share: 2, card: 'folded', cell: ({ deletedBy }) => deletedBy },
    { header: 'Left', width: 80, align: 'right', cell: ({ expiresAt }) => <Left until={expiresAt} /> },
    {
      header: 'Restore',
      hideHeader: true,
      fit: true,
      cell: (entry) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`Restore ${entry.name}`}
          loading={restoring === entry.id}
          disabled={restoring !== null}
          onClick={() => onRestore(entry)}
        >
          Restore
        </Button>
      ),
    },
    {
      header: 'Delete for good',
      hideHeader: true,
      fit: true,
      card: 'folded',
      cell: (entry) => (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          aria-label={`Delete ${entry.name} for good`}
          disabled={restoring !== null}
          onClick={() => onRemove(entry)}
        >
          Delete for good
        </Button>
      ),
    },
  ];
}

function Contents({ of: { contents, kind, isPartial } }: { of: TrashEntry }) {
  const words = contentsOf(contents, kind);
  if (isPartial) return <Status tone="attention">{`Deletion not finished: ${words}`}</Status>;
  return words || '–';
}

const dayMs = 86_400_000;

function Left({ until }: { until: string | null }) {
  const now = useNow();
  const days = until === null ? 0 : Math.max(0, Math.ceil((Date.parse(until) - now) / dayMs));
  return counted(days, 'day');
}

function RefusedDialog({ refused: shown, onClose }: { refused: Refused | null; onClose: () => void }) {
  return (
    <Modal
      opened={shown !== null}
      onClose={onClose}
      size="xl"
      title={`Not all of ${shown?.entry.name ?? ''} is restored`}
    >
      {shown && (
        <Stack gap="sm">
          <Text>
            {counted(shown.count, 'record')} could not be restored and {shown.count === 1 ? 'stays' : 'stay'} in the
            trash.
          </Text>
          <Table.ScrollContainer minWidth={320} mah={400}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Record</Table.Th>
                  <Table.Th>Reason</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shown.refused.map(({ kind, recordID, name, reason }) => (
                  <Table.Tr key={`${kind} ${recordID}`}>
                    <Table.Td>
                      {trashNouns[kind]} {name || recordID}
                    </Table.Td>
                    <Table.Td>{reason}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
