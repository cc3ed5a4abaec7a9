import type { Operations } from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import type { Needs } from '../../needs.ts';
import { loadDevice } from '../device/store.ts';

/** Only the network servers inside this process tell how they reach a device. */
export function listeningRoutes({ database, networks }: Needs): Handlers<Operations['listening']> {
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
