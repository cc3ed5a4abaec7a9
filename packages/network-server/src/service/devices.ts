import { devAddrWithPrefix } from '@hilltop/lorawan';
import type { ns } from '@hilltop/protobuf';
import { scheduleQueue } from '../downlink/queue.ts';
import type { Network } from '../network/network.ts';
import { bootRadio } from '../session/boot-radio.ts';
import { isDevNonceCounter } from '../session/session-version.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Write } from '../state/state.ts';
import { emptyHistory, freshCounters } from '../uplink/new-session.ts';
import { notFound, required, toDevEUI, toHex, toUUID } from './identifiers.ts';
import { storedRecords, timesOf } from './stored.ts';

type Methods =
  | 'createDevice'
  | 'getDevice'
  | 'updateDevice'
  | 'deleteDevice'
  | 'activateDevice'
  | 'deactivateDevice'
  | 'getDeviceActivation'
  | 'getRandomDevAddr'
  | 'clearDeviceNonces'
  | 'streamFrameLogsForDevice';

const mostActivations = 20;

export function deviceMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { state } = network;
  const devices = storedRecords(network, 'device', 'device');

  /** The record for a request, whose profiles must exist. */
  async function contentOf(device: ns.Device) {
    const deviceProfileID = toUUID(device.deviceProfileId, 'device-profile');
    const serviceProfileID = toUUID(device.serviceProfileId, 'service-profile');
    const routingProfileID = toUUID(device.routingProfileId, 'routing-profile');
    const [deviceProfile, serviceProfile, routingProfile] = await Promise.all([
      state.get('deviceProfile', deviceProfileID),
      state.get('serviceProfile', serviceProfileID),
      state.get('routingProfile', routingProfileID),
    ]);
    if (!deviceProfile) throw notFound('device-profile');
    if (!serviceProfile) throw notFound('service-profile');
    if (!routingProfile) throw notFound('routing-profile');
    const { skipFCntCheck, referenceAltitude, isDisabled } = device;
    return { deviceProfileID, serviceProfileID, routingProfileID, skipFCntCheck, referenceAltitude, isDisabled };
  }

  const commit = (writes: Write[]) => state.commit({ writes, effects: [] });

  return {
    async createDevice(request) {
      const device = required(request.device, 'device');
      await devices.create(toDevEUI(device.devEui), await contentOf(device));
      return {};
    },
    async getDevice({ devEui }) {
      const device = await devices.find(toDevEUI(devEui));
      return {
        device: {
          devEui,
          deviceProfileId: Uint8Array.fromHex(device.deviceProfileID),
          serviceProfileId: Uint8Array.fromHex(device.serviceProfileID),
          routingProfileId: Uint8Array.fromHex(device.routingProfileID),
          skipFCntCheck: device.skipFCntCheck,
          referenceAltitude: device.referenceAltitude,
          isDisabled: device.isDisabled,
        },
        ...timesOf(device),
      };
    },
    async updateDevice(request) {
      const device = required(request.device, 'device');
      const devEUI = toDevEUI(device.devEui);
      await devices.update(devEUI, await contentOf(device));
      // Items that waited while the device was disabled may be sent now.
      if (!device.isDisabled) await commit([scheduleQueue(devEUI, network.clock.now().getTime())]);
      return {};
    },
    async deleteDevice({ devEui }) {
      await devices.remove(toDevEUI(devEui));
      return {};
    },
    async activateDevice({ deviceActivation }) {
      const session = await sessionOfActivation(network, required(deviceActivation, 'activation'));
      await commit([
        { kind: 'insertSession', session },
        { kind: 'flushQueue', devEUI: session.devEUI },
      ]);
      return {};
    },
    async deactivateDevice({ devEui }) {
      const devEUI = toDevEUI(devEui);
      const { current, pending } = await state.sessions(devEUI);
      if (!current && !pending) throw notFound('device session');
      await commit([
        { kind: 'deleteSessions', devEUI },
        { kind: 'flushQueue', devEUI },
      ]);
      return {};
    },
    async getDeviceActivation({ devEui }) {
      const { current } = await state.sessions(toDevEUI(devEui));
      if (!current) throw notFound('device session');
      const device = await state.get('device', current.devEUI);
      const { devAddr, keys, fCntUp, nFCntDown, aFCntDown } = current;
      const { fNwkSIntKey, sNwkSIntKey, nwkSEncKey } = keys;
      return {
        deviceActivation: {
          devEui,
          devAddr: Uint8Array.fromHex(devAddr),
          fNwkSIntKey,
          sNwkSIntKey,
          nwkSEncKey,
          fCntUp,
          nFCntDown,
          aFCntDown,
          skipFCntCheck: device?.skipFCntCheck ?? false,
        },
      };
    },
    async getRandomDevAddr() {
      return { devAddr: Uint8Array.fromHex(devAddrWithPrefix(network.netID, network.random(4).toHex())) };
    },
    async clearDeviceNonces({ devEui }) {
      const devEUI = toDevEUI(devEui);
      const device = await state.get('device', devEUI);
      const profile = device && (await state.get('deviceProfile', device.deviceProfileID));
      // For a counter, the highest one stays stored and would refuse lower ones.
      const keep = profile && isDevNonceCounter(profile) ? 0 : mostActivations;
      await commit([{ kind: 'forgetDevNonces', devEUI, keep }]);
      return {};
    },
    streamFrameLogsForDevice: ({ devEui }, signal) => network.deviceFrames.read(toDevEUI(devEui), signal),
  };
}

/**
 * The session of an activation by personalisation: keys and counters as given, radio parameters as after a start of the
 * device.
 */
async function sessionOfActivation(network: Network, activation: ns.DeviceActivation): Promise<DeviceSession> {
  const { state, random, clock } = network;
  const devEUI = toDevEUI(activation.devEui);
  const device = await state.get('device', devEUI);
  const profile = device && (await state.get('deviceProfile', device.deviceProfileID));
  if (!profile) throw notFound('device');
  for (const name of ['fNwkSIntKey', 'sNwkSIntKey', 'nwkSEncKey'] as const) toHex(activation[name], 16, name);
  const { fNwkSIntKey, sNwkSIntKey, nwkSEncKey, fCntUp, nFCntDown, aFCntDown } = activation;
  return {
    id: random(16).toHex(),
    revision: 0,
    role: 'current',
    origin: 'ABP',
    devEUI,
    joinEUI: '0000000000000000',
    devAddr: toHex(activation.devAddr, 4, 'DevAddr'),
    macVersion: profile.macVersion,
    activatedAt: clock.now().getTime(),
    keys: { fNwkSIntKey, sNwkSIntKey, nwkSEncKey, appSKey: null },
    ...freshCounters(),
    fCntUp,
    nFCntDown,
    aFCntDown,
    adr: false,
    ...bootRadio(network, profile),
    ...emptyHistory(),
    mode: profile.supportsClassC ? 'C' : 'A',
  };
}
