import { type DeviceKeys, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { openRootKeys, sealRootKeys } from '../../network/root-keys.ts';
import type { Secrets } from '../../secrets.ts';
import { joinNonceBefore, storeJoinNonces } from './join-nonces.ts';

export interface KeysDependencies {
  database: Database;
  clock: Clock;
  secrets: Secrets;
}

/** The root keys of a device: sealed in their table, and shown to callers who may change the device. */
export async function loadKeys({ database, secrets }: KeysDependencies, devEUI: string): Promise<DeviceKeys> {
  const row = await database.query
    .selectFrom('device_keys')
    .select(['nwk_key', 'app_key'])
    .where('dev_eui', '=', devEUI)
    .executeTakeFirst();
  if (!row) throw noKeys(devEUI);
  const { nwkKey, appKey } = openRootKeys(secrets, devEUI, row);
  return { devEUI, nwkKey: nwkKey.toHex(), appKey: appKey.toHex(), genAppKey: '' };
}

const insertion = statement()({
  sql: ({ kind, values }) => `insert into device_keys (dev_eui, nwk_key, app_key, join_nonce, created_at, updated_at)
    ${values(`$dev_eui, $nwk_key, $app_key, ${kind === 'sqlite' ? 'max' : 'greatest'}($join_nonce,
      coalesce((select join_nonce from former_join_nonce as former where former.dev_eui = $dev_eui), 0)), $now, $now`)}`,
  given: { dev_eui: 'text', nwk_key: 'bytea', app_key: 'bytea', join_nonce: 'int8', now: 'timestamptz' },
  batch: { rowKey: 'dev_eui' },
});

export async function insertKeys({ database, secrets, clock }: KeysDependencies, keys: DeviceKeys): Promise<void> {
  const sealed = sealRootKeys(secrets, keys.devEUI, bytesOf(keys));
  const now = clock.now();
  await insertion(database).run({ dev_eui: keys.devEUI, ...sealed, join_nonce: joinNonceBefore(now), now });
}

/** The count of join nonces continues. */
export async function updateKeys({ database, secrets, clock }: KeysDependencies, keys: DeviceKeys): Promise<void> {
  const { numUpdatedRows } = await database.query
    .updateTable('device_keys')
    .set({ ...sealRootKeys(secrets, keys.devEUI, bytesOf(keys)), updated_at: clock.now() })
    .where('dev_eui', '=', keys.devEUI)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw noKeys(keys.devEUI);
}

export async function deleteKeys({ database, clock }: KeysDependencies, devEUI: string): Promise<void> {
  await database.transaction(async () => {
    await storeJoinNonces(database, [devEUI], clock.now());
    const { numDeletedRows } = await database.query
      .deleteFrom('device_keys')
      .where('dev_eui', '=', devEUI)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw noKeys(devEUI);
  });
}

const noKeys = (devEUI: string) => refusal('NO_KEYS', { devEUI });

const bytesOf = ({ nwkKey, appKey }: DeviceKeys) => ({
  nwkKey: Uint8Array.fromHex(nwkKey),
  appKey: appKey === '' ? new Uint8Array(16) : Uint8Array.fromHex(appKey),
});
