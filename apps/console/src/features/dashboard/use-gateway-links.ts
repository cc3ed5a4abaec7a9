import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { useAccepts } from '../../api/use-choices.ts';
import type { SliceLink } from '../../components/chart/chart-data.ts';
import { paths } from '../../paths.ts';
import type { StateLinks } from './summary-slices.ts';

/** The filter of each state. */
const states = { neverSeen: 'neverSeen', inactive: 'offline', active: 'online' } as const;

/**
 * The list of gateways of an organization, and the lists by state that the server can filter. There is no list of the
 * gateways of all organizations ('0').
 */
export function useGatewayLinks(organizationID: string): StateLinks & { readonly all?: SliceLink } {
  const isOne = organizationID !== '0';
  const list = query('gateway', 'list', { organizationID, limit: 0, offset: 0 });
  const canFilter = useAccepts(list, 'filter', { enabled: isOne });
  return useMemo(() => {
    if (!isOne) return {};
    const to = paths.gateway.list(organizationID);
    const listed = Object.entries(canFilter ? states : {}).map(([state, name]) => [
      state,
      { to, search: { filter: `state:is:${name}` } },
    ]);
    return { all: { to }, ...Object.fromEntries(listed) };
  }, [isOne, organizationID, canFilter]);
}
