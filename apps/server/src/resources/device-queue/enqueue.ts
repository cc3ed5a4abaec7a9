import { randomBytes, randomInt } from 'node:crypto';
import { ApiError, atField, type DeviceQueueItem, notFound, passedOn, refusal } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { Clock, QueueEnd } from '@hilltop/network-server';
import { type ns, RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { sessionKeysOf } from '../../events/activation.ts';
import type { DeviceContext, DeviceContexts } from '../../events/device-context.ts';
import { idPrefix, insertDownlink, type QueuedDownlink, removeDownlinksBeyond } from '../../events/downlink-rows.ts';
import type { DownlinkSteps } from '../../events/downlink-steps.ts';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { Metrics } from '../../metrics.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { DownlinkQueueSettings } from '../../network/settings.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import type { Secrets } from '../../secrets.ts';
import { lockDevice, networkServerOf } from '../device/store.ts';
import { createKeyedSerializer } from '../keyed-serializer.ts';
import { encodedPayload } from './payload.ts';

interface EnqueueDependencies {
  config: DownlinkQueueSettings;
  database: Database;
  secrets: Secrets;
  clock: Clock;
  metrics: Pick<Metrics, 'count'>;
  downlinkSteps: DownlinkSteps;
  networks: Networks;
  keyEnvelopes: KeyEnvelopes;
  codecs: PayloadCodecs;
  devices: DeviceContexts;
}

/** Where a downlink comes from, and what the recorded queue has no members for. */
export interface DownlinkOrigin {
  origin: 'API' | 'MQTT';
  /** Who sends it; empty when that is unknown. */
  by?: string;
  reference?: string;
  /** Milliseconds since 1970. */
  expiresAt?: number | undefined;
  /** The field of the object in the request, for the refusal `NOT_ENCODED`. */
  objectField?: string;
}

export interface EnqueuedDownlink {
  id: string;
  fCnt: number;
  fPort: number;
  data: Uint8Array;
}

/**
 * Puts a downlink into the queue of its device. `inSameTransaction` runs in the transaction that writes the queue item.
 * Every refusal is an ApiError: `NOT_ENCODED` when the codec cannot make bytes of the object.
 */
export type EnqueueDownlink = (
  item: DeviceQueueItem,
  from: DownlinkOrigin,
  inSameTransaction?: () => Promise<void>,
) => Promise<EnqueuedDownlink>;

/** One in so many enqueues removes downlinks beyond the limit of the device. */
const enqueuesPerRemoval = 32;

export function createEnqueue(needs: EnqueueDependencies): EnqueueDownlink {
  const { config, database, networks, codecs, devices, secrets, clock, metrics, downlinkSteps } = needs;
  // A remote network server is called outside of the transaction, where nothing else serializes two items.
  const oneByOne = createKeyedSerializer();

  async function deviceOf(devEUI: string): Promise<DeviceContext> {
    const device = await devices.of(devEUI);
    if (!device) throw notFound('device', devEUI);
    return device;
  }

  /** Until the first uplink, only the network server knows the session of a device that has just joined. */
  async function requireActivation(devEUI: string): Promise<void> {
    if ((await deviceOf(devEUI)).devAddr !== '') return;
    const activation = await networks.embedded.newActivationOf(await networkServerOf(database, devEUI), devEUI);
    if (!activation) throw notActivated(devEUI);
  }

  /** Call it in a transaction that locks the device, so that no two items get the same frame counter. */
  async function queue(
    { id, devEUI, confirmed, fPort }: Pick<DeviceQueueItem, 'devEUI' | 'confirmed' | 'fPort'> & { id: string },
    bytes: Uint8Array,
    expiresAt: number | undefined,
  ): Promise<number> {
    await lockDevice(database, devEUI);
    const networkServerID = await networkServerOf(database, devEUI);
    const devEui = Uint8Array.fromHex(devEUI);
    const embedded = await networks.embedded.queueEnd(networkServerID, devEUI);
    const { count, nextFCnt: fCnt } = embedded ?? (await queueEndOf(await networks.of(networkServerID), devEui));
    const { devAddr, appSKey } = sessionKeysOf(needs, await deviceOf(devEUI), embedded?.activation);
    if (count >= config.queueItems) throw full(config.queueItems);
    const frmPayload = cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, bytes);
    const item = { devEui, devAddr: Uint8Array.fromHex(devAddr), frmPayload, fCnt, fPort, confirmed };
    if (await networks.embedded.enqueue(networkServerID, item, { id, expiresAt })) return fCnt;
    if (expiresAt !== undefined) throw atField('downlink.expiresAt', refusal('ONLY_FLUSH'));
    await (await networks.of(networkServerID)).createDeviceQueueItem({ item });
    return fCnt;
  }

  async function record(downlink: Omit<QueuedDownlink, 'at'>): Promise<void> {
    const at = clock.now().getTime();
    await insertDownlink(database, secrets, { ...downlink, at });
    await downlinkSteps.queued({ ...downlink, at });
    if (randomInt(enqueuesPerRemoval) > 0) return;
    const removed = await removeDownlinksBeyond(database, downlink.devEUI);
    metrics.count('downlinks_removed', { reason: 'count' }, removed);
  }

  return async (item, { origin, by = '', reference = '', expiresAt, objectField }, inSameTransaction) => {
    const { devEUI, confirmed } = item;
    await requireActivation(devEUI);
    const field = objectField ?? 'deviceQueueItem.jsonObject';
    const { bytes: data, fPort } = await encodedPayload(codecs, await deviceOf(devEUI), item, field);
    if (fPort === 0) throw atField('downlink.fPort', refusal('MISSING', { what: 'port' }));
    // A transaction may run twice: the remote network server is called between the runs.
    const id = idPrefix(clock.now().getTime()) + randomBytes(10).toString('hex');
    try {
      const write = () =>
        database.transaction(async () => {
          const fCnt = await queue({ id, devEUI, confirmed, fPort }, data, expiresAt);
          const details = { origin, by, reference, expiresAt: expiresAt ?? null };
          await record({ id, devEUI, confirmed, fPort, fCnt, data, ...details });
          await inSameTransaction?.();
          return { id, fCnt, fPort, data };
        });
      return await oneByOne(devEUI, write);
    } catch (error) {
      if (error instanceof RpcError && error.code === 'NotFound') throw notActivated(devEUI);
      throw error instanceof RpcError ? passedOn(error, 'Internal') : error;
    }
  };
}

async function queueEndOf(
  network: ns.NetworkServerService,
  devEui: Uint8Array,
): Promise<Pick<QueueEnd, 'count' | 'nextFCnt'>> {
  const { totalCount } = await network.getDeviceQueueItemsForDevEUI({ devEui, countOnly: true });
  const { fCnt } = await network.getNextDownlinkFCntForDevEUI({ devEui });
  return { count: totalCount, nextFCnt: fCnt };
}

function full(most: number): ApiError {
  return atField('deviceQueueItem.devEUI', refusal('QUEUE_FULL', { most }));
}

function notActivated(devEUI: string): ApiError {
  return new ApiError('NOT_ACTIVATED', { devEUI }, { status: 'FailedPrecondition' });
}
