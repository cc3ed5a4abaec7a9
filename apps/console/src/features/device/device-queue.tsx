import type { DeviceQueueItem, Downlink } from '@hilltop/contract';
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import classes from '../../components/downlink/downlink.module.css';
import { DownlinkQueue } from '../../components/downlink/downlink-queue.tsx';
import { isUnanswered, stateText, stateTone } from '../../components/downlink/downlink-words.ts';
import { formatLogTime } from '../../components/last-seen/dates.ts';
import type { Column } from '../../components/list/cells.tsx';
import { Status } from '../../components/status/status.tsx';
import { useMay } from '../../session/session.tsx';
import { outlookText } from './device-class.ts';
import { queueRefreshMs, useListening } from './use-device.ts';
import { useDownlinks } from './use-downlinks.ts';

const remoteNotice = 'This network-server does not report when it sends, and can only flush the whole queue.';

/** The queued downlinks of a device. */
export function DeviceQueue({ devEUI }: { devEUI: string }) {
  const may = useMay();
  const [canceling, setCanceling] = useState<Downlink | null>(null);
  const waiting = useQuery({
    ...query('deviceQueue', 'list', { devEUI, countOnly: false }),
    select: ({ deviceQueueItems }) => deviceQueueItems,
    refetchInterval: ({ state }) => (state.data?.deviceQueueItems.length ? queueRefreshMs : false),
  });
  const downlinks = useDownlinks(devEUI).data;
  const isWaiting = !!waiting.data?.length;
  const { data: listening } = useListening(isWaiting);
  return (
    <>
      <DownlinkQueue
        query={waiting}
        outlook={isWaiting && listening ? outlookText(listening, formatLogTime) : null}
        columns={[{ header: 'Confirmed', width: 90, cell: ({ confirmed }) => (confirmed ? 'yes' : 'no') }]}
        after={downlinks ? stateColumns(downlinks, may('downlink.cancel') ? setCanceling : undefined) : []}
        notice={downlinks?.isRemote ? remoteNotice : undefined}
        empty="Queued downlinks are listed here until the device can receive them."
        question="Are you sure you want to flush the device queue?"
        onFlush={
          may('deviceQueue.flush')
            ? () =>
                perform(api.deviceQueue.flush({ devEUI }), {
                  changed: ['deviceQueue', 'downlink'],
                  done: 'device-queue has been flushed',
                })
            : undefined
        }
      />
      <ConfirmDialog
        opened={canceling !== null}
        onClose={() => setCanceling(null)}
        title="Cancel the downlink?"
        question="Are you sure you want to remove this downlink from the queue?"
        action="Cancel downlink"
        onConfirm={() =>
          perform(api.downlink.cancel({ devEUI, id: canceling!.id }), {
            changed: ['deviceQueue', 'downlink'],
            done: 'downlink has been canceled',
          })
        }
      />
    </>
  );
}

const open = ['QUEUED', 'SENDING', 'SENT'];

function stateColumns(
  { result, isRemote }: { result: readonly Downlink[]; isRemote: boolean },
  onCancel: ((downlink: Downlink) => void) | undefined,
): Column<DeviceQueueItem>[] {
  const of = ({ fCnt }: DeviceQueueItem) => result.find((one) => one.fCnt === fCnt && open.includes(one.state));
  const bin = (downlink: Downlink) => (
    <Tooltip label="Cancel">
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Cancel the downlink with FCnt ${downlink.fCnt}`}
        onClick={() => onCancel?.(downlink)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
  return [
    {
      header: 'State',
      fit: true,
      wraps: true,
      cell: (item) => {
        const downlink = of(item);
        if (!downlink) return '–';
        const unanswered = isUnanswered(downlink, Date.now());
        const [tone, text] = unanswered
          ? (['attention', 'the gateway does not respond'] as const)
          : [stateTone(downlink), stateText(downlink)];
        return (
          <div className={classes.state}>
            <Status tone={tone}>{text}</Status>
            {(downlink.state === 'QUEUED' || unanswered) && !isRemote && onCancel && bin(downlink)}
          </div>
        );
      },
    },
  ];
}
