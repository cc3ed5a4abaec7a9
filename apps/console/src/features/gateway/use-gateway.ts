import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';

const refreshMs = 30_000;

/** The gateway of the address, with its last-seen time kept fresh. */
export function useGateway() {
  const { gatewayID } = useIDs();
  return useQuery({ ...query('gateway', 'get', { id: gatewayID }), refetchInterval: refreshMs });
}
