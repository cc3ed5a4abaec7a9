import { type IntegrationKind, integrationKinds, type Operations } from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { toID, toRowID } from '../../identifiers.ts';
import { type ConfigurationDependencies, configurationOf } from './configuration.ts';

type Application = Operations['application'];
/** Create, get, update and delete of every kind. */
type IntegrationRoutes = Pick<Handlers<Application>, Extract<keyof Application, `${string}Integration`>>;

type Config = Readonly<Record<string, unknown>> & { readonly applicationID: string };
type Write = (request: { integration: Config }) => Promise<object>;
type Choose = (request: { applicationID: string }) => Promise<object>;

/** The operations of all kinds. */
export function integrationRoutes(needs: ConfigurationDependencies): IntegrationRoutes {
  function routesOf(kind: IntegrationKind): readonly (readonly [string, Write | Choose])[] {
    const configuration = configurationOf(needs, kind);
    const create: Write = ({ integration }) =>
      configuration.create(toID(integration.applicationID, 'application'), integration);
    const get: Choose = ({ applicationID }) => configuration.get(toRowID(applicationID));
    const update: Write = ({ integration }) => configuration.update(toRowID(integration.applicationID), integration);
    const remove: Choose = ({ applicationID }) => configuration.remove(toRowID(applicationID));
    const named = { create, get, update, delete: remove };
    return Object.entries(named).map(([verb, route]) => [`${verb}${kind.rpc}Integration`, route] as const);
  }

  const routes = Object.values<IntegrationKind>(integrationKinds).flatMap(routesOf);
  return Object.fromEntries(routes) as unknown as IntegrationRoutes;
}
