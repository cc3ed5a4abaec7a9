import type { RecordKind, Records } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { Secrets } from '../secrets.ts';

export type RecordRows = ReturnType<typeof recordRows>;

type NetworkRecord = Records[RecordKind];

const maxSharedTexts = 10_000;

/** Provisioned records of one embedded network server as rows: sealed JSON. */
export function recordRows({ database, secrets }: { database: Database; secrets: Secrets }, ns: number) {
  /** Ids of profiles that thousands of devices share, so that each is in memory once. */
  const sharedTexts = new Map<string, string>();
  type Key = { kind: string; id: string };
  const select = prepare<Key>()(
    database,
    (query, $) =>
      query
        .selectFrom('ns_record')
        .select('body')
        .where('network_server_id', '=', ns)
        .where('kind', '=', $.kind)
        .where('id', '=', $.id),
    { isBatched: true },
  );
  const upsert = prepare<Key & { body: Uint8Array }>()(
    database,
    (query, $) =>
      query
        .insertInto('ns_record')
        .values({ network_server_id: ns, kind: $.kind, id: $.id, body: $.body })
        .onConflict((on) =>
          on.columns(['network_server_id', 'kind', 'id']).doUpdateSet((row) => ({ body: row.ref('excluded.body') })),
        ),
    { isBatched: true, rowKey: 'id' },
  );
  const remove = prepare<Key>()(database, (query, $) =>
    query.deleteFrom('ns_record').where('network_server_id', '=', ns).where('kind', '=', $.kind).where('id', '=', $.id),
  );

  function share(text: string): string {
    const known = sharedTexts.get(text);
    if (known !== undefined) return known;
    if (sharedTexts.size >= maxSharedTexts) sharedTexts.clear();
    sharedTexts.set(text, text);
    return text;
  }

  return {
    read: async (kind: RecordKind, id: string): Promise<NetworkRecord | null> => {
      const row = await select.first({ kind, id });
      if (!row) return null;
      const json = Buffer.from(secrets.open(row.body, recordPurpose(ns, kind, id))).toString();
      const record = JSON.parse(json) as NetworkRecord;
      if (kind !== 'device') return record;
      const device = record as Records['device'];
      device.deviceProfileID = share(device.deviceProfileID);
      device.serviceProfileID = share(device.serviceProfileID);
      device.routingProfileID = share(device.routingProfileID);
      return device;
    },
    save: async (kind: RecordKind, id: string, record: NetworkRecord): Promise<void> => {
      await upsert.run({ kind, id, body: secrets.seal(recordBody(record), recordPurpose(ns, kind, id)) });
    },
    remove: async (kind: RecordKind, id: string): Promise<void> => {
      await remove.run({ kind, id });
    },
    gatewayIDs: async (): Promise<string[]> => {
      const rows = await database.query
        .selectFrom('ns_record')
        .select('id')
        .where('network_server_id', '=', ns)
        .where('kind', '=', 'gateway')
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** The purpose with which the body of a record is sealed. */
export const recordPurpose = (networkServerID: number, kind: string, id: string) =>
  `ns_record.${kind}:${networkServerID}/${id}`;

/** A record before it is sealed. */
export const recordBody = (record: NetworkRecord) => new Uint8Array(Buffer.from(JSON.stringify(record)));
