import { type IntegrationKind, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { organizationOf } from '../../event-log/event.ts';
import { findIntegration, type IntegrationRow } from '../../integrations/store.ts';

/** What owns an integration, in a sentence. */
export const ownerWord = (owner: number | undefined): string =>
  organizationOf(owner) === undefined ? 'application' : 'organization';

/** The integration of an application or organization. Throws NO_INTEGRATION when there is none of the kind. */
export async function existing(
  database: Database,
  owner: number,
  { kind, label }: IntegrationKind,
): Promise<IntegrationRow> {
  const row = await findIntegration(database, owner, kind);
  if (!row) throw refusal('NO_INTEGRATION', { label, owner: ownerWord(owner) });
  return row;
}
