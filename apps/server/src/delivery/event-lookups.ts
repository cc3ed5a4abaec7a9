import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { createGatewayNames } from '../integrations/gateway-names.ts';
import type { DeliveryJob } from '../integrations/integration.ts';

/** The data that adapters look up in addition to the event. */
export type EventLookups = Pick<DeliveryJob<object>, 'gatewayNames' | 'variables'>;

export function createEventLookups({ database, clock }: { database: Database; clock: Clock }): EventLookups {
  return {
    gatewayNames: createGatewayNames(database, () => clock.monotonicMs()),
    variables: async (devEUI) => {
      const row = await database.query
        .selectFrom('device')
        .select('variables')
        .where('dev_eui', '=', devEUI)
        .executeTakeFirst();
      return row?.variables ?? {};
    },
  };
}
