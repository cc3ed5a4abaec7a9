import { type DeviceKeys, refusal } from '@hilltop/contract';
import type { Needs } from '../../needs.ts';
import { openRootKeys, sealRootKeys } from '../../network/root-keys.ts';

type Needed = Pick<Needs, 'database' | 'secrets' | 'clock'>;

/** The root keys of a device: sealed in their table, and shown to those who may change the device. */
export async function loadKeys({ database, secrets }: Needed, devEUI: string): Promise<DeviceKeys> {
  const row = await database.query
    .selectFrom('device_keys')
    .select(['nwk_key', 'app_key'])
    .where('dev_eui', '=', devEUI)
    .executeTakeFirst();
  if (!row) throw noKeys(devEUI);
  const { nwkKey, appKey } = openRootKeys(secrets, devEUI, row);
  return { devEUI, nwkKey: nwkKey.toHex(), appKey: appKey.toHex(), genAppKey: '' };
}

export async function insertKeys({ database, secrets, clock }: Needed, keys: DeviceKeys): Promise<void> {
  const now = clock.now();
  const row = { ...sealRootKeys(secrets, keys.devEUI, bytesOf(keys)), created_at: now, updated_at: now };
  await database.query
    .insertInto('device_keys')
    .values({ dev_eui: keys.devEUI, ...row })
    .execute();
}

/** The count of join nonces goes on where it was. */
export async function updateKeys({ database, secrets, clock }: Needed, keys: DeviceKeys): Promise<void> {
  const { numUpdatedRows } = await database.query
    .updateTable('device_keys')
    .set({ ...sealRootKeys(secrets, keys.devEUI, bytesOf(keys)), updated_at: clock.now() })
    .where('dev_eui', '=', keys.devEUI)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw noKeys(keys.devEUI);
}

export async function deleteKeys({ database }: Needed, devEUI: string): Promise<void> {
  const { numDeletedRows } = await database.query
    .deleteFrom('device_keys')
    .where('dev_eui', '=', devEUI)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw noKeys(devEUI);
}

const noKeys = (devEUI: string) => refusal('NO_KEYS', { devEUI });

const bytesOf = ({ nwkKey, appKey }: DeviceKeys) => ({
  nwkKey: Uint8Array.fromHex(nwkKey),
  appKey: appKey === '' ? new Uint8Array(16) : Uint8Array.fromHex(appKey),
});
