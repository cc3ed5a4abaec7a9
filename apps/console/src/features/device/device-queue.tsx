import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DownlinkQueue } from '../../components/downlink/downlink-queue.tsx';
import { formatLogTime } from '../../components/last-seen/dates.ts';
import { outlookText } from './device-class.ts';
import { queueRefreshMs, useListening } from './use-device.ts';

/** The queued downlinks of a device. */
export function DeviceQueue({ devEUI }: { devEUI: string }) {
  const waiting = useQuery({
    ...query('deviceQueue', 'list', { devEUI, countOnly: false }),
    select: ({ deviceQueueItems }) => deviceQueueItems,
    refetchInterval: ({ state }) => (state.data?.deviceQueueItems.length ? queueRefreshMs : false),
  });
  const isWaiting = !!waiting.data?.length;
  const { data: listening } = useListening(isWaiting);
  return (
    <DownlinkQueue
      query={waiting}
      outlook={isWaiting && listening ? outlookText(listening, formatLogTime) : null}
      columns={[{ header: 'Confirmed', width: 110, cell: ({ confirmed }) => (confirmed ? 'yes' : 'no') }]}
      empty="Queued downlinks are listed here until the device can receive them."
      question="Are you sure you want to flush the device queue?"
      onFlush={() =>
        perform(api.deviceQueue.flush({ devEUI }), {
          changed: ['deviceQueue'],
          done: 'device-queue has been flushed',
        })
      }
    />
  );
}
