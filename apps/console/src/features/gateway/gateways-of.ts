import type { InputOf, Operations } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import type { PageOf } from '../../components/list/use-list-page.ts';

type GatewayInclude = NonNullable<InputOf<Operations['gateway']['list']>['include']>[number];

/** A page of the gateways of an organization, or with an empty ID of those of all organizations. */
export const gatewaysOf = (
  organizationID: string,
  { limit, offset, search, orderBy, filter }: PageOf<'gateway'>,
  include: readonly string[] = [],
) =>
  query('gateway', 'list', {
    organizationID: organizationID || '0',
    limit,
    offset,
    search,
    orderBy,
    filter,
    include: include as GatewayInclude[],
  });
