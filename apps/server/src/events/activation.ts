import type { AcceptedJoin } from '@hilltop/network-server';
import { type as, RpcError } from '@hilltop/protobuf';
import type { Updateable } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { KeyEnvelopeError, type KeyEnvelopes } from '../key-envelopes.ts';
import { appSKeyPurpose, type DeviceContext } from './device-context.ts';
import type { ServerEffect } from './effect.ts';
import { buildEvent, type PendingEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';

export type Activation = {
  /** Replaces the session of the device. */
  session: Partial<Pick<DeviceContext, 'devAddr' | 'appSKey'>>;
  change: Updateable<Tables['device']>;
  events: PendingEvent[];
};

/** Each join is counted once, with its event. */
export const joined = { join_count: 1 } as const;

const noActivation: Activation = { session: {}, change: {}, events: [] };

/**
 * The first uplink after a join carries the new AppSKey, once. The join event reports that the device uses it,
 * unless the join is reported already.
 */
export function acceptActivation(
  { secrets, keyEnvelopes }: EventDependencies,
  device: DeviceContext,
  uplink: as.HandleUplinkDataRequest,
  at: Date,
  isReported = false,
): Activation {
  const context = uplink.deviceActivationContext;
  if (!context?.appSKey) return noActivation;
  const aesKey = openAppSKey(keyEnvelopes, context);
  const devAddr = context.devAddr.toHex();
  if (devAddr === device.devAddr && Buffer.compare(aesKey, device.appSKey) === 0) return noActivation;
  const { rxInfo, txInfo, dr } = uplink;
  return {
    session: { devAddr, appSKey: aesKey },
    change: { dev_addr: devAddr, app_s_key: secrets.seal(aesKey, appSKeyPurpose(device.devEUI)), joined_at: at },
    events: isReported ? [] : [buildEvent('join', device, at, { devAddr: context.devAddr, rxInfo, txInfo, dr })],
  };
}

/** The join-request of a device is answered, and the settings of its network server want this reported. */
export async function onJoin(
  dependencies: EventDependencies,
  { devEui, devAddr, rxInfo, txInfo, dr }: AcceptedJoin,
): Promise<ServerEffect> {
  const at = dependencies.clock.now();
  const device = await requireDevice(dependencies, devEui, 'Internal');
  const { devEUI } = device;
  const events = [buildEvent('join', device, at, { devAddr, rxInfo, txInfo, dr })];
  return dependencies.recorder.record({
    about: `join-accept for ${devEUI}`,
    devEUI,
    at,
    change: { joined_at: at },
    events,
    counters: joined,
  });
}

/** The AppSKey of an activation, which a join server may have wrapped with a key of this server. */
export function openAppSKey(envelopes: KeyEnvelopes, { appSKey }: as.DeviceActivationContext): Uint8Array {
  if (!appSKey) throw new RpcError('Internal', 'The activation has no AppSKey.');
  try {
    return envelopes.open(appSKey);
  } catch (error) {
    throw error instanceof KeyEnvelopeError ? new RpcError('Internal', error.message) : error;
  }
}

export type SessionKeys = Pick<DeviceContext, 'devAddr' | 'appSKey'>;

/** The keys of the application data of a device: of a new activation, or of the stored session. */
export function sessionKeysOf(
  { keyEnvelopes }: Pick<EventDependencies, 'keyEnvelopes'>,
  { devAddr, appSKey }: DeviceContext,
  activation: as.DeviceActivationContext | null | undefined,
): SessionKeys {
  if (!activation) return { devAddr, appSKey };
  return { devAddr: activation.devAddr.toHex(), appSKey: openAppSKey(keyEnvelopes, activation) };
}

/** Handles an activation that the network server reports before the uplink; undefined when there is none. */
export async function onActivation(
  dependencies: EventDependencies,
  uplink: as.HandleUplinkDataRequest,
): Promise<ServerEffect | undefined> {
  if (!uplink.deviceActivationContext) return undefined;
  const at = dependencies.clock.now();
  const device = await requireDevice(dependencies, uplink.devEui, 'Internal');
  const { change, events } = acceptActivation(dependencies, device, uplink, at);
  if (events.length === 0) return undefined;
  return dependencies.recorder.record({
    about: `activation of ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    change,
    events,
    counters: joined,
  });
}
