import { gatewayCounts, gatewayFilters } from '@hilltop/contract/filters';
import { query } from '../../api/queries.ts';
import { countButtons, type ListFilters } from '../../components/filters/list-filters.ts';
import { mostSampled, tagKeysOf } from '../../components/filters/tag-keys.ts';

const named = { limit: 1000, offset: 0 };

/** How the gateways of an organization, or with an empty ID those of all organizations, are filtered. */
export function gatewayFiltersOf(organizationID: string): ListFilters {
  const owner = { organizationID: organizationID || '0' };
  return {
    noun: 'gateways',
    fields: gatewayFilters,
    objects: {
      networkServer: query('networkServer', 'list', { ...owner, ...named }),
      gatewayProfile: query('gatewayProfile', 'list', named),
    },
    tagKeys: tagKeysOf(query('gateway', 'list', { ...owner, limit: mostSampled, offset: 0, include: ['tags'] })),
    counts: {
      buttons: countButtons(gatewayCounts),
      read: (search, filter) => query('gatewayCount', 'get', { ...owner, search, filter }),
    },
  };
}
