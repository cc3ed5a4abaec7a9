import {
  ApiError,
  atField,
  type DeviceQueueItem,
  mostQueuedBytes,
  notFound,
  type Operations,
  passedOn,
  refusal,
} from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import { type ns, RpcError } from '@hilltop/protobuf';
import { type DeviceContext, deviceContexts } from '../../events/device-context.ts';
import type { Handlers } from '../../http/operations.ts';
import type { Needs } from '../../needs.ts';
import { CodecError } from '../../payload-codecs/codec-error.ts';
import { holdDevice, loadDevice } from '../device/store.ts';
import { inTurn } from './in-turn.ts';

/** Downlinks waiting for a device. They wait at its network server, encrypted here with the AppSKey. */
export function deviceQueueRoutes(needs: Needs): Handlers<Operations['deviceQueue']> {
  const { config, database, networks, codecs } = needs;
  const devices = deviceContexts(needs);
  // A remote network server is asked outside of the transaction, where nothing else keeps two items apart.
  const oneByOne = inTurn();

  async function deviceOf(devEUI: string): Promise<DeviceContext> {
    const device = await devices.of(devEUI);
    if (!device) throw notFound('device', devEUI);
    return device;
  }
  async function networkOf(devEUI: string) {
    return networks.of((await loadDevice(database, devEUI)).network_server_id);
  }

  /** An object goes through the codec and comes before the bytes when both are given. */
  async function bytesOf({ devEUI, fPort, data, jsonObject }: DeviceQueueItem): Promise<Uint8Array> {
    if (jsonObject === '' || jsonObject === 'null') return Uint8Array.fromBase64(data ?? '');
    const { codec, variables, applicationID } = await deviceOf(devEUI);
    const application = String(applicationID);
    try {
      const bytes = await codecs.encode(codec, { application, fPort, json: jsonObject, variables });
      if (bytes.length <= mostQueuedBytes) return bytes;
      throw new CodecError(`Encode answered ${bytes.length} bytes. At most ${mostQueuedBytes} can be sent.`);
    } catch (error) {
      if (error instanceof CodecError)
        throw atField('deviceQueueItem.jsonObject', refusal('NOT_ENCODED', { problem: error.message }));
      throw error;
    }
  }

  /** In a transaction that holds the device, so that no two items get the same frame counter. */
  async function queue({ devEUI, fPort, confirmed }: DeviceQueueItem, bytes: Uint8Array): Promise<number> {
    await holdDevice(database, devEUI);
    const { devAddr, appSKey } = await deviceOf(devEUI);
    const network = await networkOf(devEUI);
    const devEui = Uint8Array.fromHex(devEUI);
    const { totalCount } = await network.getDeviceQueueItemsForDevEUI({ devEui, countOnly: true });
    if (totalCount >= config.queueItems) throw full(config.queueItems);
    const { fCnt } = await network.getNextDownlinkFCntForDevEUI({ devEui });
    const frmPayload = cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, bytes);
    const item = { devEui, devAddr: Uint8Array.fromHex(devAddr), frmPayload, fCnt, fPort, confirmed };
    await network.createDeviceQueueItem({ item });
    return fCnt;
  }

  return {
    list: async ({ devEUI, countOnly }) => {
      const device = await deviceOf(devEUI);
      const network = await networkOf(devEUI);
      const waiting = await network.getDeviceQueueItemsForDevEUI({ devEui: Uint8Array.fromHex(devEUI), countOnly });
      return {
        deviceQueueItems: waiting.items.map((item) => toQueueItem(device, item)),
        totalCount: waiting.totalCount,
      };
    },

    enqueue: async ({ deviceQueueItem }) => {
      const { devEUI } = deviceQueueItem;
      const { devAddr } = await deviceOf(devEUI);
      if (devAddr === '') throw notActivated(devEUI);
      const bytes = await bytesOf(deviceQueueItem);
      try {
        const write = () => database.transaction(() => queue(deviceQueueItem, bytes));
        return { fCnt: await oneByOne(devEUI, write) };
      } catch (error) {
        if (error instanceof RpcError && error.code === 'NotFound') throw notActivated(devEUI);
        throw error instanceof RpcError ? passedOn(error, 'Internal') : error;
      }
    },

    flush: async ({ devEUI }) => {
      const network = await networkOf(devEUI);
      await network.flushDeviceQueueForDevEUI({ devEui: Uint8Array.fromHex(devEUI) });
      return {};
    },
  };
}

function full(most: number): ApiError {
  return atField('deviceQueueItem.devEUI', refusal('QUEUE_FULL', { most }));
}

function notActivated(devEUI: string): ApiError {
  return new ApiError('NOT_ACTIVATED', { devEUI }, { status: 'FailedPrecondition' });
}

function toQueueItem({ devEUI, devAddr, appSKey }: DeviceContext, item: ns.DeviceQueueItem): DeviceQueueItem {
  const { fCnt, fPort, confirmed, frmPayload } = item;
  const address = { devAddr, fCnt, direction: 'down' } as const;
  const data = appSKey.length === 0 ? frmPayload : cryptFRMPayload(appSKey, address, frmPayload);
  return { devEUI, confirmed, fPort, fCnt, data: data.length === 0 ? null : data.toBase64(), jsonObject: '' };
}
