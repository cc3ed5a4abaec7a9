import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { createQueryCache } from '../database/query-cache.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import type { Codec } from '../payload-codecs/codec.ts';
import type { Secrets } from '../secrets.ts';

/** What events contain of their device, and what decoding them needs. */
export type DeviceContext = {
  devEUI: string;
  name: string;
  tags: Record<string, string>;
  variables: Record<string, string>;
  /** '' before the first activation. */
  devAddr: string;
  /** Empty before the first activation. */
  appSKey: Uint8Array;
  applicationID: number;
  applicationName: string;
  deviceProfileID: string;
  deviceProfileName: string;
  deviceProfileTags: Record<string, string>;
  networkServerID: number;
  /** The codec of the device profile, or of the application when the profile has none. */
  codec: Codec;
};

export type DeviceContexts = { of(devEUI: string): Promise<DeviceContext | undefined> };

export const appSKeyPurpose = (devEUI: string) => `device.app_s_key:${devEUI}`;

const maxKeys = 50_000;
const maxCodecs = 1_000;
const maxContexts = 10_000;

type ContextRow = RowOf<'device', 'name' | 'tags' | 'variables' | 'dev_addr' | 'app_s_key'> & {
  application_id: number;
  application_name: string;
  application_updated_at: Date;
  profile_id: string;
  profile_name: string;
  profile_tags: Record<string, string>;
  profile_updated_at: Date;
  payload_codec: string;
  network_server_id: number;
};

const contextOf = statement<ContextRow>()({
  sql: `select d.name, d.tags, d.variables, d.dev_addr, d.app_s_key,
      a.id as application_id, a.name as application_name, a.updated_at as application_updated_at,
      p.id as profile_id, p.name as profile_name, p.tags as profile_tags, p.updated_at as profile_updated_at,
      p.payload_codec, p.network_server_id
    from device as d
    inner join application as a on a.id = d.application_id
    inner join device_profile as p on p.id = d.device_profile_id
    where d.dev_eui = $devEUI`,
  given: { devEUI: 'text' },
  batch: {},
});

/** Reads devices with their application and profile. Scripts are read again only when their profile or application changes. */
export function deviceContexts({ database, secrets }: { database: Database; secrets: Secrets }): DeviceContexts {
  /** By table, id and time of the last change. */
  const codecs = new LRUCache<string, Codec>({ max: maxCodecs });
  const contexts = createQueryCache<DeviceContext>(
    database,
    [
      {
        table: 'device',
        key: ['dev_eui'],
        columns: ['name', 'tags', 'variables', 'dev_addr', 'app_s_key', 'application_id', 'device_profile_id'],
      },
      // Each creation and deletion of a device changes the count of its application. Codecs change with `updated_at`.
      { table: 'application', columns: ['name', 'updated_at'] },
      { table: 'device_profile' },
    ],
    maxContexts,
  );
  /** Decrypted AppSKeys by DevEUI. */
  const keys = new LRUCache<string, { sealed: Uint8Array; key: Uint8Array }>({ max: maxKeys });

  function openKey(devEUI: string, sealed: Uint8Array): Uint8Array {
    if (sealed.length === 0) return sealed;
    const cached = keys.get(devEUI);
    if (cached && Buffer.compare(cached.sealed, sealed) === 0) return cached.key;
    const key = secrets.open(sealed, appSKeyPurpose(devEUI));
    keys.set(devEUI, { sealed, key });
    return key;
  }

  async function codecFrom(table: 'device_profile' | 'application', id: number | string, updatedAt: Date) {
    const version = `${table} ${id} ${updatedAt.getTime()}`;
    const cached = codecs.get(version);
    if (cached) return cached;
    const row = await database.query
      .selectFrom(table)
      .select(['payload_codec', 'payload_encoder_script', 'payload_decoder_script'])
      .where('id', '=', id as never)
      .executeTakeFirstOrThrow();
    const codec = {
      codec: row.payload_codec,
      encoderScript: row.payload_encoder_script,
      decoderScript: row.payload_decoder_script,
    };
    codecs.set(version, codec);
    return codec;
  }

  async function read(devEUI: string): Promise<DeviceContext | undefined> {
    const row = await contextOf(database).first({ devEUI });
    if (!row) return undefined;
    const codec =
      row.payload_codec === ''
        ? await codecFrom('application', row.application_id, row.application_updated_at)
        : await codecFrom('device_profile', row.profile_id, row.profile_updated_at);
    return Object.freeze({
      devEUI,
      name: row.name,
      tags: Object.freeze(row.tags),
      variables: Object.freeze(row.variables),
      devAddr: row.dev_addr,
      appSKey: openKey(devEUI, row.app_s_key),
      applicationID: row.application_id,
      applicationName: row.application_name,
      deviceProfileID: row.profile_id,
      deviceProfileName: row.profile_name,
      deviceProfileTags: Object.freeze(row.profile_tags),
      networkServerID: row.network_server_id,
      codec,
    });
  }

  return { of: (devEUI) => contexts.of(devEUI, () => read(devEUI)) };
}
