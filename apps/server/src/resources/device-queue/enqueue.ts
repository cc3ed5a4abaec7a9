import { ApiError, atField, type DeviceQueueItem, notFound, passedOn, refusal } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import { RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { type SessionKeys, sessionKeysOf } from '../../events/activation.ts';
import type { DeviceContext, DeviceContexts } from '../../events/device-context.ts';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { DownlinkQueueSettings } from '../../network/settings.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { loadDevice, lockDevice } from '../device/store.ts';
import { createKeyedSerializer } from '../keyed-serializer.ts';
import { payloadBytes } from './payload.ts';

interface EnqueueDependencies {
  config: DownlinkQueueSettings;
  database: Database;
  networks: Networks;
  keyEnvelopes: KeyEnvelopes;
  codecs: PayloadCodecs;
  devices: DeviceContexts;
}

/**
 * Puts a downlink into the queue of its device and resolves with its frame counter. `inSameTransaction` runs in the
 * transaction that writes the queue item. Every refusal is an ApiError: `NOT_ENCODED` when the codec cannot make bytes of
 * the object.
 */
export type EnqueueDownlink = (item: DeviceQueueItem, inSameTransaction?: () => Promise<void>) => Promise<number>;

export function createEnqueue(needs: EnqueueDependencies): EnqueueDownlink {
  const { config, database, networks, codecs, devices } = needs;
  // A remote network server is called outside of the transaction, where nothing else serializes two items.
  const oneByOne = createKeyedSerializer();

  async function deviceOf(devEUI: string): Promise<DeviceContext> {
    const device = await devices.of(devEUI);
    if (!device) throw notFound('device', devEUI);
    return device;
  }

  /** Until the first uplink, only the network server knows the session of a device that has just joined. */
  async function sessionOf(devEUI: string, networkServerID: number): Promise<SessionKeys> {
    const activation = await networks.embedded.newActivationOf(networkServerID, devEUI);
    return sessionKeysOf(needs, await deviceOf(devEUI), activation);
  }

  async function requireActivation(devEUI: string): Promise<void> {
    if ((await deviceOf(devEUI)).devAddr !== '') return;
    const { network_server_id } = await loadDevice(database, devEUI);
    if ((await sessionOf(devEUI, network_server_id)).devAddr === '') throw notActivated(devEUI);
  }

  /** Call it in a transaction that locks the device, so that no two items get the same frame counter. */
  async function queue({ devEUI, fPort, confirmed }: DeviceQueueItem, bytes: Uint8Array): Promise<number> {
    await lockDevice(database, devEUI);
    const { network_server_id } = await loadDevice(database, devEUI);
    const network = await networks.of(network_server_id);
    const { devAddr, appSKey } = await sessionOf(devEUI, network_server_id);
    const devEui = Uint8Array.fromHex(devEUI);
    const { totalCount } = await network.getDeviceQueueItemsForDevEUI({ devEui, countOnly: true });
    if (totalCount >= config.queueItems) throw full(config.queueItems);
    const { fCnt } = await network.getNextDownlinkFCntForDevEUI({ devEui });
    const frmPayload = cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, bytes);
    const item = { devEui, devAddr: Uint8Array.fromHex(devAddr), frmPayload, fCnt, fPort, confirmed };
    await network.createDeviceQueueItem({ item });
    return fCnt;
  }

  return async (item, inSameTransaction) => {
    const { devEUI } = item;
    await requireActivation(devEUI);
    const bytes = await payloadBytes(codecs, await deviceOf(devEUI), item, 'deviceQueueItem.jsonObject');
    try {
      const write = () =>
        database.transaction(async () => {
          const fCnt = await queue(item, bytes);
          await inSameTransaction?.();
          return fCnt;
        });
      return await oneByOne(devEUI, write);
    } catch (error) {
      if (error instanceof RpcError && error.code === 'NotFound') throw notActivated(devEUI);
      throw error instanceof RpcError ? passedOn(error, 'Internal') : error;
    }
  };
}

function full(most: number): ApiError {
  return atField('deviceQueueItem.devEUI', refusal('QUEUE_FULL', { most }));
}

function notActivated(devEUI: string): ApiError {
  return new ApiError('NOT_ACTIVATED', { devEUI }, { status: 'FailedPrecondition' });
}
