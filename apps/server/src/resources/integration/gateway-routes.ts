import { gatewayHTTP, type Operations } from '@hilltop/contract';
import { gatewaysOf } from '../../event-log/event.ts';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import { type ConfigurationDependencies, configurationOf } from './configuration.ts';
import { signingSecretOf } from './signing-secret.ts';

/** The HTTP integration of an organization, which gets the events of its gateways. */
export function gatewayIntegrationRoutes(needs: ConfigurationDependencies): Handlers<Operations['gatewayIntegration']> {
  const configuration = configurationOf(needs, gatewayHTTP);
  const signing = signingSecretOf(needs, gatewayHTTP);
  const owner = (organizationID: string) => gatewaysOf(toID(organizationID, 'organization'));

  return {
    create: ({ integration }) => configuration.create(owner(integration.organizationID), integration),
    get: async ({ organizationID }) => (await configuration.get(owner(organizationID))) as never,
    update: ({ integration }) => configuration.update(owner(integration.organizationID), integration),
    delete: ({ organizationID }) => configuration.remove(owner(organizationID)),
    getSigningSecret: ({ organizationID }) => signing.get(owner(organizationID)),
    makeSigningSecret: ({ organizationID }) => signing.make(owner(organizationID)),
    deleteSigningSecret: ({ organizationID }) => signing.remove(owner(organizationID)),
  };
}
