import { type IntegrationKind, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { toRowID } from '../../identifiers.ts';
import { findIntegration, type IntegrationRow } from '../../integrations/store.ts';

/** The integration of an application. Throws NO_INTEGRATION when there is none of the kind. */
export async function existing(
  database: Database,
  applicationID: string,
  { kind, label }: IntegrationKind,
): Promise<IntegrationRow> {
  const row = await findIntegration(database, toRowID(applicationID), kind);
  if (!row) throw refusal('NO_INTEGRATION', { label });
  return row;
}
