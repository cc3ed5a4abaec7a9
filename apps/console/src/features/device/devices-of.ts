import type { DeviceInclude } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import type { PageOf } from '../../components/list/use-list-page.ts';
import { type DeviceScope, requestOf } from './device-filters.ts';

/** The owners of devices that a list over several of them names. */
function ownersIn({ organizationID, applicationID }: DeviceScope): DeviceInclude[] {
  if (applicationID !== '') return [];
  return organizationID === '' ? ['applicationName', 'organization'] : ['applicationName'];
}

/** A page of devices with their states and their owners. */
export const devicesOf = (
  scope: DeviceScope,
  { limit, offset, search, orderBy, filter }: PageOf<'device'>,
  include: readonly string[],
) =>
  query('device', 'list', {
    ...requestOf(scope),
    limit,
    offset,
    search,
    orderBy,
    filter,
    include: ['state', ...ownersIn(scope), ...(include as readonly DeviceInclude[])],
  });
