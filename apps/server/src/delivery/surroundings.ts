import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { createGatewayNames } from '../integrations/gateway-names.ts';
import type { Job } from '../integrations/integration.ts';

/** What formats want to know beside the event. */
export type Surroundings = Pick<Job<object>, 'gatewayNames' | 'variables'>;

export function createSurroundings({ database, clock }: { database: Database; clock: Clock }): Surroundings {
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
