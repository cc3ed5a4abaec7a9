import { type IntegrationKind, refusal, unchangedSecret } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import { acceptConfig } from '../../integrations/accept-config.ts';
import { configOf } from '../../integrations/configured.ts';
import { openSecrets, sealSecrets, signingSecretIn, splitSecrets, withSecrets } from '../../integrations/secrets.ts';
import type { IntegrationSettings } from '../../integrations/settings.ts';
import {
  deleteIntegration,
  findIntegration,
  insertIntegration,
  lockOwner,
  ownerColumns,
  updateIntegration,
} from '../../integrations/store.ts';
import type { Secrets } from '../../secrets.ts';
import { existing, ownerWord } from './existing.ts';

export interface ConfigurationDependencies {
  config: Pick<IntegrationSettings, 'integrationSecrets'>;
  database: Database;
  bus: Bus;
  clock: Clock;
  secrets: Secrets;
}

type Config = Readonly<Record<string, unknown>>;

/**
 * The configuration of one kind of integration: stored as JSON, and its secrets sealed in another column. The owner is
 * an application, or an organization: see `gatewaysOf`.
 */
export function configurationOf(needs: ConfigurationDependencies, kind: IntegrationKind) {
  const { database, secrets, clock, bus, config: settings } = needs;

  const changed = (applicationID: number) =>
    database.afterCommit(() => bus.publish('integration-changed', '', { applicationID }));

  return {
    create: (owner: number, integration: Config) =>
      database.transaction(async () => {
        await lockOwner(database, owner);
        if (await findIntegration(database, owner, kind.kind))
          throw refusal('INTEGRATION_EXISTS', { label: kind.label, owner: ownerWord(owner) });
        if (kind.ended) throw refusal('SERVICE_ENDED', { label: kind.label, date: kind.ended });
        const { config, parts } = splitSecrets(kind.config, acceptConfig(kind, integration));
        const now = clock.now();
        const content = { config, secrets: new Uint8Array(), updated_at: now };
        const row = { ...content, ...ownerColumns(owner), kind: kind.kind, created_at: now };
        const id = await insertIntegration(database, row);
        await updateIntegration(database, id, { ...content, secrets: sealSecrets(secrets, id, parts) });
        changed(owner);
        return {};
      }),

    get: async (owner: number) => {
      const integration = configOf(secrets, await existing(database, owner, kind));
      return { integration: settings.integrationSecrets === 'returned' ? integration : masked(kind, integration) };
    },

    update: (owner: number, integration: Config) =>
      database.transaction(async () => {
        const before = await existing(database, owner, kind);
        const stored = openSecrets(secrets, before);
        const { config, parts } = splitSecrets(
          kind.config,
          acceptConfig(kind, integration, { config: before.config, parts: stored }),
        );
        const sealed = sealSecrets(secrets, before.id, { ...signingSecretIn(stored), ...parts });
        await updateIntegration(database, before.id, { config, secrets: sealed, updated_at: clock.now() });
        changed(owner);
        return {};
      }),

    remove: (owner: number) =>
      database.transaction(async () => {
        const row = await existing(database, owner, kind);
        await deleteIntegration(database, row.id);
        changed(owner);
        return {};
      }),
  };
}

function masked({ config: of }: IntegrationKind, integration: Record<string, unknown>): Record<string, unknown> {
  return withSecrets(of, integration, (value) => (value === '' ? '' : unchangedSecret));
}
