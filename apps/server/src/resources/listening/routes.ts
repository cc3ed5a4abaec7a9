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
      const forecast = await networks.embedded.forecastOf(network_server_id, devEUI);
      if (!forecast) return { deviceClass: 'UNKNOWN', nextAt: null, awaitsAcknowledgement: false, mostBytes: 0, dr: 0 };
      const { mode, nextAt, awaitsAcknowledgement, mostBytes, dr } = forecast;
      return {
        deviceClass: `CLASS_${mode}`,
        nextAt: nextAt === null ? null : new Date(nextAt).toISOString(),
        awaitsAcknowledgement,
        mostBytes,
        dr,
      };
    },
  };
}
