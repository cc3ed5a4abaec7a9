import { randomBytes, randomInt } from 'node:crypto';
import { ApiError, atField, type DeviceQueueItem, notFound, passedOn, refusal } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { Clock, ComposedItem, QueueEnd } from '@hilltop/network-server';
import { type ns, RpcError } from '@hilltop/protobuf';
import { awaitAll } from '../../database/await-all.ts';
import type { Database } from '../../database/database.ts';
import { sessionKeysOf } from '../../events/activation.ts';
import type { DeviceContext, DeviceContexts } from '../../events/device-context.ts';
import { idPrefix, insertDownlink, type QueuedDownlink, removeDownlinksBeyond } from '../../events/downlink-rows.ts';
import type { DownlinkSteps } from '../../events/downlink-steps.ts';
import type { ServerEffect } from '../../events/effect.ts';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { Metrics } from '../../metrics.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { DownlinkQueueSettings } from '../../network/settings.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import type { Secrets } from '../../secrets.ts';
import { lockWithNetworkServer } from '../device/store.ts';
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

type Unqueued = Omit<QueuedDownlink, 'at' | 'fCnt'>;

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
  async function requireActivation({ devEUI, devAddr, networkServerID }: DeviceContext): Promise<void> {
    if (devAddr !== '') return;
    const activation = await networks.embedded.newActivationOf(networkServerID, devEUI);
    if (!activation) throw notActivated(devEUI);
  }

  /**
   * Locks the device, so that no two items get the same frame counter. `expected` is its network server before the
   * transaction, so that everything is read in the same round trip.
   */
  async function queue(downlink: Unqueued, expected: number): Promise<number> {
    const locked = lockWithNetworkServer(database, downlink.devEUI);
    const adding = enqueueAt(expected, downlink, locked).then(
      (fCnt) => () => fCnt,
      (error: unknown) => () => {
        throw error;
      },
    );
    const networkServerID = await locked;
    const added = await adding;
    const fCnt = networkServerID === expected ? added() : await enqueueAt(networkServerID, downlink, locked);
    return fCnt ?? (await enqueueRemotely(networkServerID, downlink));
  }

  /** Adds it to the queue of an embedded network server; null for another one. */
  function enqueueAt(networkServerID: number, downlink: Unqueued, locked: Promise<number>): Promise<number | null> {
    const { id, devEUI, expiresAt } = downlink;
    const device = deviceOf(devEUI);
    const compose = async (end: QueueEnd): Promise<ComposedItem> => {
      if ((await locked) !== networkServerID) throw new Error('The device belongs to another network-server by now.');
      return { item: encrypted(downlink, end, await device), effects: [recordOf(downlink, end.nextFCnt)] };
    };
    const added = networks.embedded.enqueue(networkServerID, devEUI, compose, {
      id,
      expiresAt: expiresAt ?? undefined,
    });
    return awaitAll([added, device]).then(([fCnt]) => fCnt);
  }

  function encrypted(
    { devEUI, fPort, confirmed, data }: Unqueued,
    { count, nextFCnt: fCnt, activation }: Pick<QueueEnd, 'count' | 'nextFCnt'> & Partial<QueueEnd>,
    device: DeviceContext,
  ): ns.DeviceQueueItem {
    const { devAddr, appSKey } = sessionKeysOf(needs, device, activation);
    if (count >= config.queueItems) throw full(config.queueItems);
    const frmPayload = cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, data);
    const [devEui, address] = [Uint8Array.fromHex(devEUI), Uint8Array.fromHex(devAddr)];
    return { devEui, devAddr: address, frmPayload, fCnt, fPort, confirmed };
  }

  async function enqueueRemotely(networkServerID: number, downlink: Unqueued): Promise<number> {
    const { devEUI, expiresAt } = downlink;
    const network = await networks.of(networkServerID);
    const end = await queueEndOf(network, Uint8Array.fromHex(devEUI));
    const item = encrypted(downlink, end, await deviceOf(devEUI));
    if (expiresAt !== null) throw atField('downlink.expiresAt', refusal('ONLY_FLUSH'));
    await network.createDeviceQueueItem({ item });
    await recordOf(downlink, end.nextFCnt).write();
    return end.nextFCnt;
  }

  const recordOf = (downlink: Unqueued, fCnt: number): ServerEffect => ({
    about: `downlink ${fCnt} of ${downlink.devEUI}`,
    write: () => record({ ...downlink, fCnt }),
  });

  async function record(downlink: Omit<QueuedDownlink, 'at'>): Promise<void> {
    const at = clock.now().getTime();
    const insertion = insertDownlink(database, secrets, { ...downlink, at });
    if (!database.isPipelined) await insertion;
    await awaitAll([insertion, downlinkSteps.queued({ ...downlink, at })]);
    if (randomInt(enqueuesPerRemoval) > 0) return;
    const removed = await removeDownlinksBeyond(database, downlink.devEUI);
    metrics.count('downlinks_removed', { reason: 'count' }, removed);
  }

  return async (item, { origin, by = '', reference = '', expiresAt, objectField }, inSameTransaction) => {
    const { devEUI, confirmed } = item;
    const device = await deviceOf(devEUI);
    await requireActivation(device);
    const field = objectField ?? 'deviceQueueItem.jsonObject';
    const { bytes: data, fPort } = await encodedPayload(codecs, device, item, field);
    if (fPort === 0) throw atField('downlink.fPort', refusal('MISSING', { what: 'port' }));
    // A transaction may run twice: the remote network server is called between the runs.
    const id = idPrefix(clock.now().getTime()) + randomBytes(10).toString('hex');
    const details = { origin, by, reference, expiresAt: expiresAt ?? null };
    const downlink = { id, devEUI, confirmed, fPort, data, ...details };
    try {
      const write = () =>
        database.transaction(async () => {
          const fCnt = await queue(downlink, device.networkServerID);
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
