import { type IntegrationKind, integrationKinds, type Operations, refusal, unchangedSecret } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import { acceptConfig } from '../../integrations/accept-config.ts';
import { configOf } from '../../integrations/configured.ts';
import { openSecrets, sealSecrets, signingSecretIn, splitSecrets, withSecrets } from '../../integrations/secrets.ts';
import type { IntegrationSettings } from '../../integrations/settings.ts';
import { deleteIntegration, findIntegration, insertIntegration, updateIntegration } from '../../integrations/store.ts';
import type { Secrets } from '../../secrets.ts';
import { existing } from './existing.ts';

type Application = Operations['application'];
/** Create, get, update and delete of every kind. */
type IntegrationRoutes = Pick<Handlers<Application>, Extract<keyof Application, `${string}Integration`>>;

type Config = Readonly<Record<string, unknown>> & { readonly applicationID: string };
type Write = (request: { integration: Config }) => Promise<object>;
type Choose = (request: { applicationID: string }) => Promise<object>;

export interface IntegrationRoutesDependencies {
  config: Pick<IntegrationSettings, 'integrationSecrets'>;
  database: Database;
  bus: Bus;
  clock: Clock;
  secrets: Secrets;
}

/** The operations of all kinds: store the configuration, and the secrets sealed in another column. */
export function integrationRoutes(needs: IntegrationRoutesDependencies): IntegrationRoutes {
  const { database, secrets, clock, bus, config: settings } = needs;

  const changed = (applicationID: number) =>
    database.afterCommit(() => bus.publish('integration-changed', '', { applicationID }));

  function routesOf(kind: IntegrationKind): readonly (readonly [string, Write | Choose])[] {
    const create: Write = ({ integration }) =>
      database.transaction(async () => {
        const applicationID = toID(integration.applicationID, 'application');
        if (await findIntegration(database, applicationID, kind.kind))
          throw refusal('INTEGRATION_EXISTS', { label: kind.label });
        if (kind.ended) throw refusal('SERVICE_ENDED', { label: kind.label, date: kind.ended });
        const { config, parts } = splitSecrets(kind.config, acceptConfig(kind, integration));
        const now = clock.now();
        const content = { config, secrets: new Uint8Array(), updated_at: now };
        const row = { ...content, application_id: applicationID, kind: kind.kind, created_at: now };
        const id = await insertIntegration(database, row);
        await updateIntegration(database, id, { ...content, secrets: sealSecrets(secrets, id, parts) });
        changed(applicationID);
        return {};
      });

    const get: Choose = async ({ applicationID }) => {
      const integration = configOf(secrets, await existing(database, applicationID, kind));
      return { integration: settings.integrationSecrets === 'returned' ? integration : masked(kind, integration) };
    };

    const update: Write = ({ integration }) =>
      database.transaction(async () => {
        const before = await existing(database, integration.applicationID, kind);
        const stored = openSecrets(secrets, before);
        const { config, parts } = splitSecrets(
          kind.config,
          acceptConfig(kind, integration, { config: before.config, parts: stored }),
        );
        const sealed = sealSecrets(secrets, before.id, { ...signingSecretIn(stored), ...parts });
        const content = { config, secrets: sealed, updated_at: clock.now() };
        await updateIntegration(database, before.id, content);
        changed(before.application_id!);
        return {};
      });

    const remove: Choose = ({ applicationID }) =>
      database.transaction(async () => {
        const row = await existing(database, applicationID, kind);
        await deleteIntegration(database, row.id);
        changed(row.application_id!);
        return {};
      });

    const named = { create, get, update, delete: remove };
    return Object.entries(named).map(([verb, route]) => [`${verb}${kind.rpc}Integration`, route] as const);
  }

  const routes = Object.values<IntegrationKind>(integrationKinds).flatMap(routesOf);
  return Object.fromEntries(routes) as unknown as IntegrationRoutes;
}

function masked({ config: of }: IntegrationKind, integration: Record<string, unknown>): Record<string, unknown> {
  return withSecrets(of, integration, (value) => (value === '' ? '' : unchangedSecret));
}
