import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';

const refreshMs = 30_000;

export const gatewayOf = (id: string) => query('gateway', 'get', { id, include: 'connection' });

/** The gateway of the URL, with a fresh last-seen time. */
export function useGateway() {
  const { gatewayID } = useIDs();
  return useQuery({ ...gatewayOf(gatewayID), refetchInterval: refreshMs });
}
