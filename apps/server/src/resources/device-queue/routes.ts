import { type DeviceQueueItem, notFound, type Operations } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { ns } from '@hilltop/protobuf';
import type { DeviceContext } from '../../events/device-context.ts';
import type { Handlers } from '../../http/call.ts';
import type { Needs } from '../../needs.ts';
import { loadDevice } from '../device/store.ts';

/** Downlinks waiting for a device. They wait at its network server, encrypted here with the AppSKey. */
export function deviceQueueRoutes(needs: Needs): Handlers<Operations['deviceQueue']> {
  const { database, networks, devices, enqueue } = needs;

  async function networkOf(devEUI: string) {
    return networks.of((await loadDevice(database, devEUI)).network_server_id);
  }

  return {
    list: async ({ devEUI, countOnly }) => {
      const device = await devices.of(devEUI);
      if (!device) throw notFound('device', devEUI);
      const network = await networkOf(devEUI);
      const waiting = await network.getDeviceQueueItemsForDevEUI({ devEui: Uint8Array.fromHex(devEUI), countOnly });
      return {
        deviceQueueItems: waiting.items.map((item) => toQueueItem(device, item)),
        totalCount: waiting.totalCount,
      };
    },

    enqueue: async ({ deviceQueueItem }) => ({ fCnt: await enqueue(deviceQueueItem) }),

    flush: async ({ devEUI }) => {
      const network = await networkOf(devEUI);
      await network.flushDeviceQueueForDevEUI({ devEui: Uint8Array.fromHex(devEUI) });
      return {};
    },
  };
}

function toQueueItem({ devEUI, devAddr, appSKey }: DeviceContext, item: ns.DeviceQueueItem): DeviceQueueItem {
  const { fCnt, fPort, confirmed, frmPayload } = item;
  const address = { devAddr, fCnt, direction: 'down' } as const;
  const data = appSKey.length === 0 ? frmPayload : cryptFRMPayload(appSKey, address, frmPayload);
  return { devEUI, confirmed, fPort, fCnt, data: data.length === 0 ? null : data.toBase64(), jsonObject: '' };
}
