import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import { createQueryCache } from '../database/query-cache.ts';
import { setLatest } from '../latest-n.ts';
import type { Codec } from '../payload-codecs/codec.ts';
import type { Secrets } from '../secrets.ts';

/** What an event says and needs of the device it is about. */
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
  /** The device-profile's; an application's own only counts when that is none. */
  codec: Codec;
};

export type DeviceContexts = { of(devEUI: string): Promise<DeviceContext | undefined> };

export const appSKeyPurpose = (devEUI: string) => `device.app_s_key:${devEUI}`;

const keysKept = 50_000;
const codecsKept = 1_000;
const contextsKept = 10_000;

/** Reads devices with what they belong to. Scripts are read again only when their profile or application changed. */
export function deviceContexts({ database, secrets }: { database: Database; secrets: Secrets }): DeviceContexts {
  const codecs = new Map<string, Codec>();
  const contexts = createQueryCache<DeviceContext>(
    database,
    [
      {
        table: 'device',
        key: ['dev_eui'],
        columns: ['name', 'tags', 'variables', 'dev_addr', 'app_s_key', 'application_id', 'device_profile_id'],
      },
      { table: 'application' },
      { table: 'device_profile' },
    ],
    contextsKept,
  );
  const opened = new Map<string, { sealed: Uint8Array; key: Uint8Array }>();

  const select = prepare<{ devEUI: string }>()(
    database,
    (query, $) =>
      query
        .selectFrom('device as d')
        .innerJoin('application as a', 'a.id', 'd.application_id')
        .innerJoin('device_profile as p', 'p.id', 'd.device_profile_id')
        .select(['d.name', 'd.tags', 'd.variables', 'd.dev_addr', 'd.app_s_key'])
        .select(['a.id as application_id', 'a.name as application_name', 'a.updated_at as application_updated_at'])
        .select(['p.id as profile_id', 'p.name as profile_name', 'p.tags as profile_tags'])
        .select(['p.updated_at as profile_updated_at', 'p.payload_codec'])
        .where('d.dev_eui', '=', $.devEUI),
    { isBatched: true },
  );

  function openKey(devEUI: string, sealed: Uint8Array): Uint8Array {
    if (sealed.length === 0) return sealed;
    const known = opened.get(devEUI);
    if (known && Buffer.compare(known.sealed, sealed) === 0) return known.key;
    const key = secrets.open(sealed, appSKeyPurpose(devEUI));
    setLatest(opened, keysKept, devEUI, { sealed, key });
    return key;
  }

  async function codecFrom(table: 'device_profile' | 'application', id: number | string, updatedAt: Date) {
    const version = `${table} ${id} ${updatedAt.getTime()}`;
    const known = codecs.get(version);
    if (known) return known;
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
    setLatest(codecs, codecsKept, version, codec);
    return codec;
  }

  async function read(devEUI: string): Promise<DeviceContext | undefined> {
    const row = await select.first({ devEUI });
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
      codec,
    });
  }

  return { of: (devEUI) => contexts.of(devEUI, () => read(devEUI)) };
}
