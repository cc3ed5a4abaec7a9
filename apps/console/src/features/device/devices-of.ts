import type { DeviceInclude } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import type { PageOf } from '../../components/list/use-list-page.ts';
import { type DeviceScope, requestOf } from './device-filters.ts';

/** A page of devices. The list includes their states, and beyond one application its name. */
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
    include: ['state', ...(scope.applicationID === '' ? ['applicationName'] : []), ...include] as DeviceInclude[],
  });
