import type { DeliveredEvent } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { api } from '../../api/client.ts';
import { integrationKinds } from '../../api/integration-facts.ts';
import { query } from '../../api/queries.ts';
import type { Chip } from '../../components/live-log/log-kind.ts';
import type { EventItem } from './event-kind.ts';

export const integrationLabel = (name: string) =>
  integrationKinds.find(({ kind }) => kind === name)?.label ?? name.replace('_GLOBAL', '');
const signs = { DELIVERED: 'done', WAITING: 'waiting', DEAD: 'failed' } as const;
export const deliveryStateWords = { DELIVERED: 'delivered', WAITING: 'waiting', DEAD: 'given up' } as const;

const chipsOf = ({ deliveries }: DeliveredEvent): Chip[] =>
  deliveries.map(({ kind, place }) => ({
    text: `${integrationLabel(kind)}: ${deliveryStateWords[place]}`,
    sign: signs[place],
  }));

/** The delivery state of each event of a device at each integration, if the server reports it. */
export function useDeliveryChips(devEUI: string): (item: EventItem) => readonly Chip[] {
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'delivery', 'ofDevice'],
    queryFn: () => api.delivery.ofDevice.isOffered(),
    staleTime: Infinity,
  });
  const { data } = useQuery({
    ...query('delivery', 'ofDevice', { devEUI }),
    enabled: isOffered,
    refetchInterval: 3_000,
  });
  const chips = useMemo(() => new Map(data?.result.map((event) => [event.eventID, chipsOf(event)])), [data]);
  return useCallback((item) => chips.get(`${devEUI}-${item.streamID}`) ?? [], [chips, devEUI]);
}
