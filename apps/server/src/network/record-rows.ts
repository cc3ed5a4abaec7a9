import type { RecordKind, Records } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import type { Secrets } from '../secrets.ts';

export type RecordRows = ReturnType<typeof recordRows>;

type NetworkRecord = Records[RecordKind];

const maxSharedTexts = 10_000;

const inServer = { ns: 'int8' } as const;

const selectStatement = statement<RowOf<'ns_record', 'body'>>()({
  sql: 'select body from ns_record where network_server_id = $ns and kind = $kind and id = $id',
  fixed: inServer,
  given: { kind: 'text', id: 'text' },
  batch: {},
});

const upsertStatement = statement()({
  sql: ({ values }) => `insert into ns_record (network_server_id, kind, id, body)
    ${values('$ns, $kind, $id, $body')}
    on conflict (network_server_id, kind, id) do update set body = excluded.body`,
  fixed: inServer,
  given: { kind: 'text', id: 'text', body: 'bytea' },
  batch: { rowKey: 'id' },
});

const removeStatement = statement()({
  sql: 'delete from ns_record where network_server_id = $ns and kind = $kind and id = $id',
  fixed: inServer,
  given: { kind: 'text', id: 'text' },
});

/** Provisioned records of one embedded network server as rows: sealed JSON. */
export function recordRows({ database, secrets }: { database: Database; secrets: Secrets }, ns: number) {
  /** Ids of profiles that thousands of devices share, so that each is in memory once. */
  const sharedTexts = new Map<string, string>();
  const select = selectStatement(database, { ns });
  const upsert = upsertStatement(database, { ns });
  const remove = removeStatement(database, { ns });

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
