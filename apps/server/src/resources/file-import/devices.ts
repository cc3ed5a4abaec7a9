import { type Device, type Location, notFound, operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { toRowID } from '../../identifiers.ts';
import { type ActivationDependencies, activate } from '../device/activation.ts';
import { changeDevice, createDevice, type DeviceChangeDependencies, removeDevice } from '../device/change.ts';
import { insertKeys, type KeysDependencies, updateKeys } from '../device/keys.ts';
import { fromNetworkForm } from '../device/network-form.ts';
import { fromRow, loadShownDevice, statusOf, storePosition } from '../device/store.ts';
import { addUsedNonces } from '../device/used-nonces.ts';
import { type DeviceRecord, readDeviceRecord } from './device-record.ts';
import { type Existing, type ImportedKind, nameKey } from './kind.ts';
import { type DeviceNames, loadDeviceNames } from './names.ts';

export type DeviceImportDependencies = DeviceChangeDependencies & KeysDependencies & ActivationDependencies;
interface DeviceBefore {
  device: Device;
  location: Location | null;
}

/** What the network server knows is loaded when the row is imported. */
const unknownAtCheck = { skipFCntCheck: false, referenceAltitude: 0, isDisabled: false };

export const devices: ImportedKind<DeviceImportDependencies, DeviceNames, DeviceBefore, DeviceRecord> = {
  kind: 'DEVICES',
  called: 'device',
  loadNames: loadDeviceNames,

  findExisting: async ({ query }, organizationID, keys) => {
    const rows = await query
      .selectFrom('device')
      .innerJoin('application', 'application.id', 'device.application_id')
      .select('application.organization_id')
      .selectAll('device')
      .where('device.dev_eui', 'in', keys)
      .execute();
    return new Map(
      rows.map((row): [string, Existing<DeviceBefore>] => {
        if (row.organization_id !== organizationID) return [row.dev_eui, 'inOtherOrganization'];
        const { location } = statusOf({ ...row });
        return [row.dev_eui, { before: { device: { ...fromRow(row), ...unknownAtCheck }, location } }];
      }),
    );
  },

  loadWhole: async ({ database, networks }, devEUI) => {
    const row = await loadShownDevice(database, devEUI);
    const network = await networks.of(row.network_server_id);
    const { device } = await network.getDevice({ devEui: Uint8Array.fromHex(devEUI) });
    if (!device) throw notFound('device', devEUI);
    return { device: { ...fromRow(row), ...fromNetworkForm(device) }, location: statusOf(row).location };
  },

  read: readDeviceRecord,
  nameOf: ({ device }) => ({ scope: device.applicationID, name: device.name }),
  findNames: async ({ query }, names) => {
    const rows = await query
      .selectFrom('device')
      .select(['dev_eui', 'application_id', 'name'])
      .where('application_id', 'in', [...new Set(names.map(({ scope }) => toRowID(scope)))])
      .where('name', 'in', [...new Set(names.map(({ name }) => name))])
      .execute();
    return new Map(rows.map((row) => [nameKey({ scope: String(row.application_id), name: row.name }), row.dev_eui]));
  },

  callFor: ({ device }, isNew) => ({
    operation: isNew ? operations.device.create : operations.device.update,
    request: { device },
  }),
  create: async (needs, record) => {
    await createDevice(needs, record.device);
    if (record.keys) await insertKeys(needs, record.keys);
    await storeRest(needs, record);
  },
  update: async (needs, record) => {
    const { device, keys } = record;
    await changeDevice(needs, device);
    const { database } = needs;
    if (keys) await ((await hasKeys(database, device.devEUI)) ? updateKeys(needs, keys) : insertKeys(needs, keys));
    await storeRest(needs, record);
  },

  stateOf: async ({ query }, devEUI) => {
    const row = await query
      .selectFrom('device')
      .leftJoin('device_keys', 'device_keys.dev_eui', 'device.dev_eui')
      .select(['device.updated_at', 'device.last_seen_at', 'device.dev_addr', 'device.latitude', 'device.longitude'])
      .select('device_keys.updated_at as keys_at')
      .where('device.dev_eui', '=', devEUI)
      .executeTakeFirst();
    return row ?? null;
  },
  callToRemove: (devEUI) => ({ operation: operations.device.delete, request: { devEUI } }),
  remove: removeDevice,
};

async function storeRest(
  needs: DeviceImportDependencies,
  { device: { devEUI }, session, location, removesPosition, nonces }: DeviceRecord,
): Promise<void> {
  if (session) await activate(needs, session);
  if (location || removesPosition) await storePosition(needs.database, devEUI, location);
  await addUsedNonces(needs.database, devEUI, nonces);
}

async function hasKeys({ query }: Database, devEUI: string): Promise<boolean> {
  const row = await query.selectFrom('device_keys').select('dev_eui').where('dev_eui', '=', devEUI).executeTakeFirst();
  return row !== undefined;
}
