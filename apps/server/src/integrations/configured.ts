import { complete, type IntegrationKindName, integrationKinds, type Message } from '@hilltop/contract';
import type { Needs } from '../needs.ts';
import type { ConfiguredIntegration } from './integration.ts';
import { joinSecrets, openSecrets, signingSecretIn } from './secrets.ts';
import { type IntegrationRow, readIntegrations } from './store.ts';

/** All integrations that are set up, or those of one application, with their secrets in clear. */
export async function loadConfigured(
  { database, secrets }: Pick<Needs, 'database' | 'secrets'>,
  applicationID?: number,
): Promise<ConfiguredIntegration[]> {
  const rows = await readIntegrations(database, applicationID);
  return rows.map((row) => ({
    id: row.id,
    applicationID: row.application_id ?? undefined,
    kind: row.kind,
    config: { ...configOf(secrets, row), ...signingSecretIn(openSecrets(secrets, row)) },
    revision: row.revision,
  }));
}

/** The message of the contract; kinds of the whole installation have none and are as they were stored. */
export function configOf(secrets: Needs['secrets'], row: IntegrationRow): Record<string, unknown> {
  const of: Message | undefined = integrationKinds[row.kind as IntegrationKindName]?.config;
  const parts = openSecrets(secrets, row);
  if (!of) return { ...row.config, ...parts };
  const config = complete(of, { ...row.config, applicationID: String(row.application_id) });
  return joinSecrets(of, config, parts);
}
