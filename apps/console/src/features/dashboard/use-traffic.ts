import type { Traffic } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

interface UsedTraffic {
  /** Undefined while loading. */
  readonly traffic: Traffic | undefined;
  /** The server counts no traffic, or the figures cannot be loaded. */
  readonly isMissing: boolean;
}

/** The traffic of an organization, or of all organizations ('0'), refetched at that interval. */
export function useTraffic(organizationID: string, refreshMs: number): UsedTraffic {
  const { data: isOffered, isError: isUnknown } = useQuery({
    queryKey: ['offered', 'traffic'],
    queryFn: () => api.traffic.get.isOffered(),
    staleTime: Infinity,
  });
  const { data, isError } = useQuery({
    ...query('traffic', 'get', { organizationID }),
    enabled: isOffered === true,
    refetchInterval: refreshMs,
    staleTime: 0,
  });
  return { traffic: data, isMissing: isOffered === false || ((isUnknown || isError) && !data) };
}
