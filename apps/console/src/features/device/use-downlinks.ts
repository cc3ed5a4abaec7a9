import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { queueRefreshMs } from './use-device.ts';
import { useKnownEvents } from './use-last-events.tsx';

/** Whether the server keeps what happens to downlinks. */
export function useOffersDownlinks(): boolean {
  const { data = false } = useQuery({
    queryKey: ['offered', 'downlink'],
    queryFn: () => api.downlink.list.isOffered(),
    staleTime: Infinity,
  });
  return data;
}

/** The last downlinks of a device. They and the queue are read again after each event of the device. */
export function useDownlinks(devEUI: string) {
  const isOffered = useOffersDownlinks();
  const client = useQueryClient();
  const events = useKnownEvents();
  const newest = Object.values(events)
    .map((event) => event?.publishedAt ?? '')
    .reduce((one, other) => (other > one ? other : one), '');
  useEffect(() => {
    if (newest === '') return;
    for (const resource of ['downlink', 'deviceQueue']) void client.invalidateQueries({ queryKey: [resource] });
  }, [client, newest]);
  return useQuery({
    ...query('downlink', 'list', { devEUI, limit: 20 }),
    enabled: isOffered,
    refetchInterval: ({ state }) =>
      state.data?.result.some(({ state: one }) => one === 'QUEUED' || one === 'SENDING') ? queueRefreshMs : false,
  });
}
