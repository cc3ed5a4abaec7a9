import { ActionIcon, Button, Group, Paper, Skeleton, Text, Title, Tooltip } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../confirm/confirm-dialog.tsx';
import type { Column } from '../list/cells.tsx';
import { DataTable } from '../list/data-table.tsx';
import { ErrorState } from '../states/states.tsx';
import classes from './downlink.module.css';

interface Waiting {
  fCnt: number;
  fPort: number;
  data: string | null;
}

interface Props<Item extends Waiting> {
  query: UseQueryResult<Item[]>;
  /** Additional columns before the payload, and after it. */
  columns?: Column<Item>[];
  after?: Column<Item>[];
  /** What this network-server cannot do. */
  notice?: string | undefined;
  /** When the first downlink will be sent. */
  outlook?: string | null;
  /** Text of an empty queue. */
  empty: string;
  /** The question of the flush dialog: "Are you sure ...?" */
  question: string;
  /** Absent for users who may not flush. */
  onFlush?: (() => Promise<unknown>) | undefined;
}

/** The queued downlinks, oldest first, with decrypted payloads. */
export function DownlinkQueue<Item extends Waiting>({
  query,
  columns = [],
  after = [],
  notice,
  outlook,
  empty,
  question,
  onFlush,
}: Props<Item>) {
  const [isFlushing, setFlushing] = useState(false);
  const { data: items, error, refetch } = query;
  const all: Column<Item>[] = [
    { header: 'FCnt', align: 'right', width: 60, cell: ({ fCnt }) => fCnt },
    { header: 'FPort', align: 'right', width: 60, cell: ({ fPort }) => fPort },
    ...columns,
    {
      header: 'Base64 encoded payload',
      cell: ({ data }) => <span className={classes.payload}>{data ?? '–'}</span>,
    },
    ...after,
  ];
  return (
    <Paper component="section" aria-labelledby="queue">
      <QueueHeader isEmpty={!items?.length} refetch={refetch} onFlush={onFlush && (() => setFlushing(true))} />
      {outlook && (
        <Text size="sm" c="dimmed" mb="sm" role="status">
          {outlook}
        </Text>
      )}
      {notice && (
        <Text size="sm" c="dimmed" mb="sm">
          {notice}
        </Text>
      )}
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!items && !error && <Skeleton height={40} />}
      {items?.length === 0 && (
        <Text c="dimmed" size="sm">
          The queue is empty. {empty}
        </Text>
      )}
      {items && items.length > 0 && (
        <div className={classes.queue}>
          <DataTable label="Downlink queue" rows={items} rowKey={({ fCnt }) => String(fCnt)} columns={all} />
        </div>
      )}
      <ConfirmDialog
        opened={isFlushing}
        onClose={() => setFlushing(false)}
        title="Flush the queue?"
        question={question}
        action="Flush"
        onConfirm={async () => onFlush?.()}
      />
    </Paper>
  );
}

interface QueueHeaderProps {
  isEmpty: boolean;
  refetch: () => Promise<unknown>;
  onFlush: (() => void) | undefined;
}

function QueueHeader({ isEmpty, refetch, onFlush }: QueueHeaderProps) {
  const [isRefreshing, setRefreshing] = useState(false);
  const refresh = async () => {
    setRefreshing(true);
    await refetch();
    setRefreshing(false);
  };
  return (
    <Group justify="space-between" mb="sm">
      <Title order={2} id="queue">
        Downlink queue
      </Title>
      <Group gap="xs">
        <Tooltip label="Refresh">
          <ActionIcon size="lg" aria-label="Refresh the queue" loading={isRefreshing} onClick={() => void refresh()}>
            <IconRefresh size={18} />
          </ActionIcon>
        </Tooltip>
        {onFlush && (
          <Button
            variant="outline"
            color="red"
            size="xs"
            leftSection={<IconTrash size={16} />}
            disabled={isEmpty}
            onClick={onFlush}
          >
            Flush
          </Button>
        )}
      </Group>
    </Group>
  );
}
