import { atField, notFound, type Operations, operations, refusal } from '@hilltop/contract';
import { auditDevice } from '../../audit/transactions.ts';
import { Violation } from '../../database/violation.ts';
import type { Handlers } from '../../http/call.ts';
import { mayAlsoSend } from '../../identity/access.ts';
import { periodOf } from '../../statistics/period.ts';
import { type ActivationDependencies, activate, deactivateAt, loadActivation } from './activation.ts';
import { changeDevice, clearDevNonces, createDevice, type DeviceChangeDependencies, removeDevice } from './change.ts';
import { readSelection } from './filters.ts';
import { deleteKeys, insertKeys, type KeysDependencies, loadKeys, updateKeys } from './keys.ts';
import { listDevices } from './list.ts';
import { fromNetworkForm } from './network-form.ts';
import { statesOf } from './state.ts';
import { toDeviceStats } from './stats.ts';
import { fromRow, loadDevice, loadOwnerOf, loadShownDevice, statusOf } from './store.ts';

const noKeys = { appSKey: '', nwkSEncKey: '', sNwkSIntKey: '', fNwkSIntKey: '' };

export interface DeviceRoutesDependencies extends KeysDependencies, ActivationDependencies, DeviceChangeDependencies {}

/**
 * Devices: identity and owner are stored here, radio settings at the network server of their device-profile. Both are
 * written in one transaction.
 */
export function deviceRoutes(needs: DeviceRoutesDependencies): Handlers<Operations['device']> {
  const { database, networks, clock, statistics } = needs;
  const networkOf = async (devEUI: string) => networks.of((await loadDevice(database, devEUI)).network_server_id);

  return {
    list: (
      { serviceProfileID, multicastGroupID, tags, limit, offset, orderBy, include, ...selection },
      { principal },
    ) => {
      const others = { serviceProfileID, multicastGroupID, tags, limit, offset, orderBy, include };
      return listDevices(needs, { ...readSelection(selection, principal), ...others, now: clock.now() });
    },

    get: async ({ devEUI, include }) => {
      const whole = include === 'state' ? await loadDevice(database, devEUI) : undefined;
      const row = whole ?? (await loadShownDevice(database, devEUI));
      const network = await networks.of(row.network_server_id);
      const { device } = await network.getDevice({ devEui: Uint8Array.fromHex(devEUI) });
      if (!device) throw notFound('device', devEUI);
      const state = whole && (await statesOf(database, [whole], clock.now())).get(devEUI);
      return { device: { ...fromRow(row), ...fromNetworkForm(device) }, ...statusOf(row), ...(state && { state }) };
    },

    create: async ({ device }) => {
      await createDevice(needs, device);
      return {};
    },
    update: async ({ device }) => {
      await changeDevice(needs, device);
      return {};
    },
    delete: async ({ devEUI }, { principal }) => {
      await removeDevice(needs, devEUI, principal);
      return {};
    },

    ...keyRoutes(needs),

    activate: ({ deviceActivation }) =>
      database.transaction(async () => {
        await activate(needs, deviceActivation);
        return {};
      }),
    deactivate: async ({ devEUI }) => {
      await deactivateAt(await networkOf(devEUI), devEUI);
      return {};
    },
    getActivation: async ({ devEUI }, { principal }) => {
      const deviceActivation = await loadActivation(needs, devEUI);
      const showsKeys = await mayAlsoSend(needs, operations.device.getActivation, { devEUI }, principal);
      return { deviceActivation: showsKeys ? deviceActivation : { ...deviceActivation, ...noKeys } };
    },
    getRandomDevAddr: async ({ devEUI }) => {
      const { devAddr } = await (await networkOf(devEUI)).getRandomDevAddr({});
      return { devAddr: devAddr.toHex() };
    },
    clearDeviceNonces: async ({ devEUI }) => {
      await clearDevNonces(needs, devEUI);
      return {};
    },

    getStats: async ({ devEUI, ...period }) => {
      const { interval, from, to } = periodOf(period);
      await loadDevice(database, devEUI);
      return { result: (await statistics.read(`device:${devEUI}`, interval, from, to)).map(toDeviceStats) };
    },
  };
}

function keyRoutes(
  needs: DeviceRoutesDependencies,
): Pick<Handlers<Operations['device']>, 'getKeys' | 'createKeys' | 'updateKeys' | 'deleteKeys'> {
  const { database } = needs;
  return {
    getKeys: async ({ devEUI }) => ({ deviceKeys: await loadKeys(needs, devEUI) }),
    createKeys: ({ deviceKeys }) =>
      database
        .sharedTransaction(async () => {
          auditDevice(await loadOwnerOf(database, deviceKeys.devEUI));
          await insertKeys(needs, deviceKeys);
          return {};
        })
        .catch((error: unknown) => {
          throw error instanceof Violation && error.kind === 'unique' ? hasKeys(deviceKeys.devEUI) : error;
        }),
    updateKeys: async ({ deviceKeys }) => {
      await updateKeys(needs, deviceKeys);
      return {};
    },
    deleteKeys: async ({ devEUI }) => {
      await deleteKeys(needs, devEUI);
      return {};
    },
  };
}

const hasKeys = (devEUI: string) => atField('deviceKeys.devEUI', refusal('HAS_KEYS', { devEUI }));
