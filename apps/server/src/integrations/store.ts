import type { IntegrationKindName } from '@hilltop/contract';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import { gatewaysOf, organizationOf } from '../event-log/event.ts';
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

/** The columns with the owner of an integration, and the owner in them; for organizations see `gatewaysOf`. */
export function ownerColumns(applicationID: number | undefined) {
  const organizationID = organizationOf(applicationID);
  return organizationID === undefined
    ? { application_id: applicationID ?? null, organization_id: null }
    : { application_id: null, organization_id: organizationID };
}

export function ownerIn(row: Pick<IntegrationRow, 'application_id' | 'organization_id'>): number | undefined {
  return row.organization_id === null ? (row.application_id ?? undefined) : gatewaysOf(row.organization_id);
}

/** The integration of an application or organization; a global one when `applicationID` is undefined. */
export async function findIntegration(
  { query }: Database,
  applicationID: number | undefined,
  kind: string,
): Promise<IntegrationRow | undefined> {
  const { application_id, organization_id } = ownerColumns(applicationID);
  return query
    .selectFrom('integration')
    .selectAll()
    .where('application_id', application_id === null ? 'is' : '=', application_id)
    .where('organization_id', organization_id === null ? 'is' : '=', organization_id)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

export async function integrationID(
  database: Database,
  applicationID: number | undefined,
  kind: string,
): Promise<number | undefined> {
  return (await findIntegration(database, applicationID, kind))?.id;
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

/** Lets one transaction after the other add integrations to an organization: no constraint keeps their kinds unique. */
export async function lockOwner({ kind, query }: Database, applicationID: number): Promise<void> {
  const organizationID = organizationOf(applicationID);
  if (organizationID === undefined || kind === 'sqlite') return;
  await query.selectFrom('organization').select('id').where('id', '=', organizationID).forUpdate().execute();
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
