import { devAddrWithPrefix } from '@hilltop/lorawan';
import type { ns } from '@hilltop/protobuf';
import { dropQueue } from '../downlink/report.ts';
import type { Network } from '../network/network.ts';
import { bootRadio } from '../session/boot-radio.ts';
import { isDevNonceCounter } from '../session/session-version.ts';
import type { DeviceSession } from '../state/session.ts';
import { emptyHistory, freshCounters } from '../uplink/new-session.ts';
import { notFound, required, toDevEUI, toHex } from './identifiers.ts';

type Methods = 'activateDevice' | 'deactivateDevice' | 'getDeviceActivation' | 'getRandomDevAddr' | 'clearDeviceNonces';

const mostActivations = 20;

/** Sessions of devices, and what is stored of their joins. */
export function activationMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { state } = network;

  return {
    async activateDevice({ deviceActivation }) {
      const session = await sessionOfActivation(network, required(deviceActivation, 'activation'));
      const { writes, effects } = await dropQueue(network, session.devEUI, 'SESSION_REPLACED');
      await state.commit({ writes: [{ kind: 'insertSession', session }, ...writes], effects });
      return {};
    },
    async deactivateDevice({ devEui }) {
      const devEUI = toDevEUI(devEui);
      const { current, pending } = await state.sessions(devEUI);
      if (!current && !pending) throw notFound('device session');
      const { writes, effects } = await dropQueue(network, devEUI, 'SESSION_REPLACED');
      await state.commit({ writes: [{ kind: 'deleteSessions', devEUI }, ...writes], effects });
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
      await state.commit({ writes: [{ kind: 'forgetDevNonces', devEUI, keep }], effects: [] });
      return {};
    },
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
