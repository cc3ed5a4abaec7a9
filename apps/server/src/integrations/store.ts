import type { IntegrationKindName } from '@hilltop/contract';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { IntegrationTable } from './tables.ts';

export type IntegrationRow = Selectable<IntegrationTable>;
export type IntegrationContent = Pick<IntegrationRow, 'config' | 'secrets' | 'updated_at'>;

/** The kinds of integrations that an application has, sorted by name. */
export async function listIntegrationKinds({ query }: Database, applicationID: number): Promise<IntegrationKindName[]> {
  const rows = await query
    .selectFrom('integration')
    .select('kind')
    .where('application_id', '=', applicationID)
    .execute();
  return rows.map(({ kind }) => kind as IntegrationKindName).sort();
}

export async function findIntegration(
  { query }: Database,
  applicationID: number,
  kind: string,
): Promise<IntegrationRow | undefined> {
  return query
    .selectFrom('integration')
    .selectAll()
    .where('application_id', '=', applicationID)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

/** The id of an integration of an application; of a global integration when `applicationID` is undefined. */
export async function integrationID(
  { query }: Database,
  applicationID: number | undefined,
  kind: string,
): Promise<number | undefined> {
  const row = await query
    .selectFrom('integration')
    .select('id')
    .where('application_id', applicationID === undefined ? 'is' : '=', applicationID ?? null)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row?.id;
}

export async function isConfigured({ query }: Database, id: number): Promise<boolean> {
  return (await query.selectFrom('integration').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** All integrations, or those of one application. */
export function readIntegrations({ query }: Database, applicationID?: number): Promise<IntegrationRow[]> {
  return query
    .selectFrom('integration')
    .selectAll()
    .$if(applicationID !== undefined, (rows) => rows.where('application_id', '=', applicationID!))
    .orderBy('id')
    .execute();
}

export async function insertIntegration({ query }: Database, row: Insertable<IntegrationTable>): Promise<number> {
  const { id } = await query.insertInto('integration').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Increments the revision. */
export async function updateIntegration({ query }: Database, id: number, content: IntegrationContent): Promise<void> {
  await query
    .updateTable('integration')
    .set((eb) => ({ ...content, revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

export async function deleteIntegration({ query }: Database, id: number): Promise<void> {
  await query.deleteFrom('integration').where('id', '=', id).execute();
}
