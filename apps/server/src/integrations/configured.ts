import { complete, findKind } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';
import type { ConfiguredIntegration } from './integration.ts';
import { joinSecrets, openSecrets, signingSecretIn } from './secrets.ts';
import { type IntegrationRow, ownerIn, readIntegrations } from './store.ts';

/** The configured integrations, all or those of an application, with their secrets in clear text. */
export async function loadConfigured(
  { database, secrets }: { database: Database; secrets: Secrets },
  applicationID?: number,
): Promise<ConfiguredIntegration[]> {
  const rows = await readIntegrations(database, applicationID);
  return rows.map((row) => ({
    id: row.id,
    applicationID: ownerIn(row),
    kind: row.kind,
    config: { ...configOf(secrets, row), ...signingSecretIn(openSecrets(secrets, row)) },
    revision: row.revision,
  }));
}

/**
 * The configuration as the message of the contract. Global integrations have no message: theirs is returned as stored.
 */
export function configOf(secrets: Secrets, row: IntegrationRow): Record<string, unknown> {
  const message = findKind(row.kind)?.config;
  const parts = openSecrets(secrets, row);
  if (!message) return { ...row.config, ...parts };
  const owner =
    row.organization_id === null
      ? { applicationID: String(row.application_id) }
      : { organizationID: String(row.organization_id) };
  const config = complete(message, { ...row.config, ...owner });
  return joinSecrets(message, config, parts);
}
