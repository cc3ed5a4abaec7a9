import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { useChoices } from '../../api/use-choices.ts';
import type { SliceLink } from '../../components/chart/chart-data.ts';
import { paths } from '../../paths.ts';
import type { StateLinks } from './summary-slices.ts';

/**
 * The list of gateways of an organization, and the lists by state that the server can filter. There is no list of the
 * gateways of all organizations ('0').
 */
export function useGatewayLinks(organizationID: string): StateLinks & { readonly all?: SliceLink } {
  const isOne = organizationID !== '0';
  const list = query('gateway', 'list', { organizationID, limit: 0, offset: 0 });
  const filters = useChoices(list, 'filter', { enabled: isOne });
  return useMemo(() => {
    if (!isOne) return {};
    const to = paths.gateway.list(organizationID);
    const filtered = (['neverSeen', 'inactive', 'active'] as const)
      .filter((state) => filters?.includes(state))
      .map((filter) => [filter, { to, search: { filter } }]);
    return { all: { to }, ...Object.fromEntries(filtered) };
  }, [isOne, organizationID, filters]);
}
