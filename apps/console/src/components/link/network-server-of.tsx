import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { NetworkServerLink } from './network-server-link.tsx';

/** The network-server of a record, by the list that forms have in the cache as well. Without an organization: all. */
export function NetworkServerOf({ id, organizationID }: { id: string; organizationID?: string }) {
  const scope = organizationID ? { organizationID } : {};
  const { data } = useQuery(query('networkServer', 'list', { ...scope, limit: 999, offset: 0 }));
  const name = data?.result.find((one) => one.id === id)?.name;
  return name === undefined ? '–' : <NetworkServerLink networkServerID={id} networkServerName={name} />;
}
