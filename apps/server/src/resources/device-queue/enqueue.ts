import { randomInt } from 'node:crypto';
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
import { createRandom } from '../../network/random.ts';
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
  const { database, networks, codecs, devices, clock } = needs;
  const queue = queueing(needs);
  // A remote network server is called outside of the transaction, where nothing else serializes two items.
  const oneByOne = createKeyedSerializer();
  const random = createRandom();

  /** Until the first uplink, only the network server knows the session of a device that has just joined. */
  async function requireActivation({ devEUI, devAddr, networkServerID }: DeviceContext): Promise<void> {
    if (devAddr !== '') return;
    const activation = await networks.embedded.newActivationOf(networkServerID, devEUI);
    if (!activation) throw notActivated(devEUI);
  }

  return async (item, { origin, by = '', reference = '', expiresAt, objectField }, inSameTransaction) => {
    const { devEUI, confirmed } = item;
    const device = await deviceOf(devices, devEUI);
    await requireActivation(device);
    const field = objectField ?? 'deviceQueueItem.jsonObject';
    const { bytes: data, fPort } = await encodedPayload(codecs, device, item, field);
    if (fPort === 0) throw atField('downlink.fPort', refusal('MISSING', { what: 'port' }));
    // A transaction may run twice: the remote network server is called between the runs.
    const id = idPrefix(clock.now().getTime()) + random(10).toHex();
    const details = { origin, by, reference, expiresAt: expiresAt ?? null };
    const downlink = { id, devEUI, confirmed, fPort, data, ...details };
    try {
      const write = () =>
        database.repeatableTransaction(async () => {
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

/**
 * Returns a function that adds a downlink to the queue at the network server of its device, for use in a transaction.
 * `expected` is that network server before the transaction, so that everything is read in the same round trip.
 */
function queueing(needs: EnqueueDependencies): (downlink: Unqueued, expected: number) => Promise<number> {
  const { database, networks, devices } = needs;
  const recordOf = recording(needs);

  /** Adds it to the queue of an embedded network server; null for another one. */
  function enqueueAt(networkServerID: number, downlink: Unqueued, locked: Promise<number>): Promise<number | null> {
    const { id, devEUI, expiresAt } = downlink;
    const device = deviceOf(devices, devEUI);
    const compose = async (end: QueueEnd): Promise<ComposedItem> => {
      if ((await locked) !== networkServerID) throw new Error('The device belongs to another network-server by now.');
      return { item: encrypted(needs, downlink, end, await device), effects: [recordOf(downlink, end.nextFCnt)] };
    };
    const added = networks.embedded.enqueue(networkServerID, devEUI, compose, {
      id,
      expiresAt: expiresAt ?? undefined,
    });
    return awaitAll([added, device]).then(([fCnt]) => fCnt);
  }

  async function enqueueRemotely(networkServerID: number, downlink: Unqueued): Promise<number> {
    const { devEUI, expiresAt } = downlink;
    const network = await networks.of(networkServerID);
    const end = await queueEndOf(network, Uint8Array.fromHex(devEUI));
    const item = encrypted(needs, downlink, end, await deviceOf(devices, devEUI));
    if (expiresAt !== null) throw atField('downlink.expiresAt', refusal('ONLY_FLUSH'));
    await network.createDeviceQueueItem({ item });
    await recordOf(downlink, end.nextFCnt).write();
    return end.nextFCnt;
  }

  /** Locks the device, so that no two items get the same frame counter. SQLite has one writer anyway. */
  async function lock(devEUI: string): Promise<number> {
    if (database.kind === 'postgres') return lockWithNetworkServer(database, devEUI);
    return (await deviceOf(devices, devEUI)).networkServerID;
  }

  return async (downlink, expected) => {
    const locked = lock(downlink.devEUI);
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
  };
}

/** Returns how a queued downlink is stored and added to the history. */
function recording(needs: EnqueueDependencies): (downlink: Unqueued, fCnt: number) => ServerEffect {
  const { database, secrets, clock, metrics, downlinkSteps } = needs;

  async function record(downlink: Omit<QueuedDownlink, 'at'>): Promise<void> {
    const at = clock.now().getTime();
    const insertion = insertDownlink(database, secrets, { ...downlink, at });
    if (!database.isPipelined) await insertion;
    await awaitAll([insertion, downlinkSteps.queued({ ...downlink, at })]);
    if (randomInt(enqueuesPerRemoval) > 0) return;
    const removed = await removeDownlinksBeyond(database, downlink.devEUI);
    database.afterCommit(() => metrics.count('downlinks_removed', { reason: 'count' }, removed));
  }

  return (downlink, fCnt) => ({
    about: `downlink ${fCnt} of ${downlink.devEUI}`,
    write: () => record({ ...downlink, fCnt }),
  });
}

async function deviceOf(devices: DeviceContexts, devEUI: string): Promise<DeviceContext> {
  const device = await devices.of(devEUI);
  if (!device) throw notFound('device', devEUI);
  return device;
}

function encrypted(
  needs: Pick<EnqueueDependencies, 'config' | 'keyEnvelopes'>,
  { devEUI, fPort, confirmed, data }: Unqueued,
  { count, nextFCnt: fCnt, activation }: Pick<QueueEnd, 'count' | 'nextFCnt'> & Partial<QueueEnd>,
  device: DeviceContext,
): ns.DeviceQueueItem {
  const { devAddr, appSKey } = sessionKeysOf(needs, device, activation);
  const most = needs.config.queueItems;
  if (count >= most) throw full(most);
  const frmPayload = cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, data);
  const [devEui, address] = [Uint8Array.fromHex(devEUI), Uint8Array.fromHex(devAddr)];
  return { devEui, devAddr: address, frmPayload, fCnt, fPort, confirmed };
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
