import { ActionIcon, Button, Group, Paper, Title, Tooltip } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { DataTable, TableSkeleton } from '../../components/list/data-table.tsx';
import { EmptyState, ErrorState } from '../../components/states/states.tsx';
import classes from './device.module.css';

const columns = [
  { header: 'FCnt', align: 'right' as const, width: 90 },
  { header: 'FPort', align: 'right' as const, width: 90 },
  { header: 'Confirmed', width: 110 },
  { header: 'Base64 encoded payload' },
];

/** The downlinks that wait for a device, oldest first, payloads decrypted. */
export function DownlinkQueue({ devEUI }: { devEUI: string }) {
  const [isFlushing, setFlushing] = useState(false);
  const { data, error, isFetching, refetch } = useQuery(query('deviceQueue', 'list', { devEUI, countOnly: false }));
  const items = data?.deviceQueueItems;
  return (
    <Paper component="section" aria-labelledby="queue">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="queue">
          Downlink queue
        </Title>
        <Group gap="xs">
          <Tooltip label="Refresh">
            <ActionIcon size="lg" aria-label="Refresh the queue" loading={isFetching} onClick={() => void refetch()}>
              <IconRefresh size={18} />
            </ActionIcon>
          </Tooltip>
          <Button
            variant="outline"
            color="red"
            size="xs"
            leftSection={<IconTrash size={16} />}
            disabled={!items?.length}
            onClick={() => setFlushing(true)}
          >
            Flush
          </Button>
        </Group>
      </Group>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!items && !error && <TableSkeleton columns={columns} rows={2} />}
      {items?.length === 0 && (
        <EmptyState title="The queue is empty">Downlinks wait here until the device listens.</EmptyState>
      )}
      {items && items.length > 0 && (
        <DataTable
          label="Downlink queue"
          rows={items}
          rowKey={({ fCnt }) => String(fCnt)}
          columns={[
            { ...columns[0], header: 'FCnt', cell: ({ fCnt }) => fCnt },
            { ...columns[1], header: 'FPort', cell: ({ fPort }) => fPort },
            { ...columns[2], header: 'Confirmed', cell: ({ confirmed }) => (confirmed ? 'yes' : 'no') },
            {
              header: 'Base64 encoded payload',
              cell: ({ data: payload }) => <span className={classes.payload}>{payload ?? '–'}</span>,
            },
          ]}
        />
      )}
      <ConfirmDialog
        opened={isFlushing}
        onClose={() => setFlushing(false)}
        title="Flush the queue?"
        question="Are you sure you want to flush the device queue?"
        action="Flush"
        onConfirm={() =>
          perform(api.deviceQueue.flush({ devEUI }), {
            changed: ['deviceQueue'],
            done: 'device-queue has been flushed',
          })
        }
      />
    </Paper>
  );
}
