import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { createGatewayNames } from '../integrations/gateway-names.ts';
import type { DeliveryJob } from '../integrations/integration.ts';

/** What formats want to know beside the event. */
export type DeliveryContext = Pick<DeliveryJob<object>, 'gatewayNames' | 'variables'>;

export function createDeliveryContext({ database, clock }: { database: Database; clock: Clock }): DeliveryContext {
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
