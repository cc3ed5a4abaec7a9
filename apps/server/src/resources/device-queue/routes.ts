import { type DeviceQueueItem, notFound, type Operations } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { ns } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { type SessionKeys, sessionKeysOf } from '../../events/activation.ts';
import type { DeviceContexts } from '../../events/device-context.ts';
import type { DownlinkSteps } from '../../events/downlink-steps.ts';
import type { Handlers } from '../../http/call.ts';
import { nameOf } from '../../identity/name-of.ts';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { Networks } from '../../network/network-servers.ts';
import { networkServerOf } from '../device/store.ts';
import type { EnqueueDownlink } from './enqueue.ts';
import { flushQueue } from './flush.ts';

interface DeviceQueueRoutesDependencies {
  database: Database;
  networks: Networks;
  keyEnvelopes: KeyEnvelopes;
  devices: DeviceContexts;
  enqueue: EnqueueDownlink;
  downlinkSteps: DownlinkSteps;
}

/** Downlinks that wait for a device, at its network server, encrypted here with the AppSKey. */
export function deviceQueueRoutes(needs: DeviceQueueRoutesDependencies): Handlers<Operations['deviceQueue']> {
  const { database, networks, devices, enqueue } = needs;

  return {
    list: async ({ devEUI, countOnly }) => {
      const device = await devices.of(devEUI);
      if (!device) throw notFound('device', devEUI);
      const networkServerID = await networkServerOf(database, devEUI);
      const network = await networks.of(networkServerID);
      const waiting = await network.getDeviceQueueItemsForDevEUI({ devEui: Uint8Array.fromHex(devEUI), countOnly });
      const activation = await networks.embedded.newActivationOf(networkServerID, devEUI);
      const session = sessionKeysOf(needs, device, activation);
      return {
        deviceQueueItems: waiting.items.map((item) => toQueueItem(devEUI, session, item)),
        totalCount: waiting.totalCount,
      };
    },

    enqueue: async ({ deviceQueueItem }, { principal }) => {
      const { fCnt } = await enqueue(deviceQueueItem, { origin: 'API', by: nameOf(principal) });
      return { fCnt };
    },

    flush: async ({ devEUI }, { principal }) => {
      await flushQueue(needs, devEUI, nameOf(principal));
      return {};
    },
  };
}

function toQueueItem(devEUI: string, { devAddr, appSKey }: SessionKeys, item: ns.DeviceQueueItem): DeviceQueueItem {
  const { fCnt, fPort, confirmed, frmPayload } = item;
  const address = { devAddr, fCnt, direction: 'down' } as const;
  const data = appSKey.length === 0 ? frmPayload : cryptFRMPayload(appSKey, address, frmPayload);
  return { devEUI, confirmed, fPort, fCnt, data: data.length === 0 ? null : data.toBase64(), jsonObject: '' };
}
