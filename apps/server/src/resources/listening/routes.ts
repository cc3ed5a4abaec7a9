import type { Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import type { Networks } from '../../network/network-servers.ts';
import { loadDevice } from '../device/store.ts';

/** Only embedded network servers report how they reach a device. */
export function listeningRoutes({
  database,
  networks,
}: {
  database: Database;
  networks: Networks;
}): Handlers<Operations['listening']> {
  return {
    get: async ({ devEUI }) => {
      const { network_server_id } = await loadDevice(database, devEUI);
      const outlook = await networks.embedded.outlookOf(network_server_id, devEUI);
      if (!outlook) return { deviceClass: 'UNKNOWN', nextAt: null, awaitsAcknowledgement: false };
      const { mode, nextAt, awaitsAcknowledgement } = outlook;
      return {
        deviceClass: `CLASS_${mode}`,
        nextAt: nextAt === null ? null : new Date(nextAt).toISOString(),
        awaitsAcknowledgement,
      };
    },
  };
}
