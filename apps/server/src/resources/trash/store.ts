import { notFound, type TrashCount, type TrashEntry, type TrashedName, type TrashKindName } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import { countOf } from '../../database/page.ts';
import type { Tables } from '../../database/tables.ts';
import type { TrashTable } from './tables.ts';

const dayMs = 86_400_000;
/** Rows per transaction: other writes wait for it. */
const slice = 500;
const rowsPerPage = 200;

/** One deleted record. */
export type StoredRecord = Selectable<Tables['trash_row']>;

export interface TrashFilter {
  organizationID: number | undefined;
  kinds: readonly TrashKindName[];
  /** Undefined: of all applications. */
  applicationIDs: readonly number[] | undefined;
  /** '' matches any. */
  recordID: string;
  limit: number;
  offset: number;
}

/** A page of entries, the latest first. */
export async function listTrash(
  { query }: Database,
  { organizationID, kinds, applicationIDs, recordID, limit, offset }: TrashFilter,
  days: number,
): Promise<{ totalCount: string; result: TrashEntry[] }> {
  const matching = query
    .selectFrom('trash')
    .where('trash.kind', 'in', kinds)
    .$if(organizationID !== undefined, (rows) => rows.where('trash.organization_id', '=', organizationID!))
    .$if(applicationIDs !== undefined, (rows) => rows.where('trash.application_id', 'in', applicationIDs!))
    .$if(recordID !== '', (rows) => rows.where('trash.record_id', '=', recordID));
  const rows = await matching
    .leftJoin('organization', 'organization.id', 'trash.organization_id')
    .selectAll('trash')
    .select('organization.name as organization_name')
    .orderBy('trash.deleted_at', 'desc')
    .orderBy('trash.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const contents = await contentsOf(
    query,
    rows.map(({ id }) => id),
  );
  return {
    totalCount: String(await countOf(matching)),
    result: rows.map((row) => ({
      id: row.id,
      organizationID: String(row.organization_id),
      organizationName: row.organization_name ?? '',
      kind: row.kind,
      recordID: row.record_id,
      name: row.name,
      contents: contents.get(row.id) ?? [],
      deletedBy: row.deleted_by,
      deletedAt: row.deleted_at.toISOString(),
      expiresAt: new Date(row.deleted_at.getTime() + days * dayMs).toISOString(),
      isPartial: row.is_partial,
    })),
  };
}

async function contentsOf(query: Database['query'], ids: readonly string[]): Promise<Map<string, TrashCount[]>> {
  const contents = new Map<string, TrashCount[]>();
  if (ids.length === 0) return contents;
  const counts = await query
    .selectFrom('trash_row')
    .select((eb) => ['trash_id', 'kind', eb.fn.countAll<number>().as('count')])
    .where('trash_id', 'in', ids)
    .groupBy(['trash_id', 'kind'])
    .orderBy('kind')
    .execute();
  for (const { trash_id, kind, count } of counts) {
    const ofEntry = contents.get(trash_id) ?? [];
    ofEntry.push({ kind, count: Number(count) });
    contents.set(trash_id, ofEntry);
  }
  return contents;
}

/** Throws `notFound` when there is none. */
export async function loadTrash({ query }: Database, id: string): Promise<Selectable<TrashTable>> {
  const row = await query.selectFrom('trash').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('deleted record', id);
  return row;
}

/** Rows of an entry in the order in which they are restored, the last deleted first, in pages. */
export async function* trashRows(
  { query }: Database,
  trashID: string,
  kinds: readonly TrashedName[],
): AsyncGenerator<readonly StoredRecord[]> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await query
      .selectFrom('trash_row')
      .selectAll()
      .where('trash_id', '=', trashID)
      .where('kind', 'in', kinds)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(rowsPerPage)
      .execute();
    yield rows;
    if (rows.length < rowsPerPage) return;
    before = rows.at(-1)!.id;
  }
}

export async function countTrashRows({ query }: Database, trashID: string): Promise<number> {
  return countOf(query.selectFrom('trash_row').where('trash_id', '=', trashID));
}

/** Removes an entry for good, batch by batch. Resolves with the number of its records. */
export async function removeTrash(database: Database, id: string): Promise<number> {
  const { query } = database;
  let removed = 0;
  for (;;) {
    const rows = query.selectFrom('trash_row').select('id').where('trash_id', '=', id).limit(slice);
    const { numDeletedRows } = await query.deleteFrom('trash_row').where('id', 'in', rows).executeTakeFirstOrThrow();
    removed += Number(numDeletedRows);
    if (Number(numDeletedRows) < slice) break;
  }
  await query.deleteFrom('trash').where('id', '=', id).execute();
  return removed;
}

/** Removes an entry without records: all were restored. */
export async function removeEmptyTrash({ query }: Database, id: string): Promise<void> {
  await query
    .deleteFrom('trash')
    .where('id', '=', id)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('trash_row').select('trash_row.id').where('trash_row.trash_id', '=', id))),
    )
    .execute();
}

/** What is deleted with an application or organization, by kind. */
export async function containedIn(
  { query }: Database,
  { applicationID, organizationID }: { applicationID?: number | undefined; organizationID?: number | undefined },
): Promise<TrashCount[]> {
  const ofApplications = (table: 'device' | 'integration' | 'multicast_group') =>
    query
      .selectFrom(table)
      .innerJoin('application', 'application.id', `${table}.application_id`)
      .$if(applicationID !== undefined, (rows) => rows.where('application.id', '=', applicationID!))
      .$if(organizationID !== undefined, (rows) => rows.where('application.organization_id', '=', organizationID!));
  const counts: [TrashedName, number][] = [
    ['DEVICE', await countOf(ofApplications('device'))],
    ['INTEGRATION', await countOf(ofApplications('integration'))],
    ['MULTICAST_GROUP', await countOf(ofApplications('multicast_group'))],
  ];
  if (organizationID !== undefined) {
    const owned = (table: 'application' | 'gateway' | 'device_profile' | 'service_profile') =>
      countOf(query.selectFrom(table).where('organization_id', '=', organizationID));
    counts.unshift(['APPLICATION', await owned('application')], ['GATEWAY', await owned('gateway')]);
    counts.push(['DEVICE_PROFILE', await owned('device_profile')], ['SERVICE_PROFILE', await owned('service_profile')]);
  }
  return counts.filter(([, count]) => count > 0).map(([kind, count]) => ({ kind, count }));
}
