import { type Application, atField, type Operations, refusal } from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { toFilterID, toID } from '../../identifiers.ts';
import { applicationLimit, memberOrganizations } from '../../identity/visibility.ts';
import { listIntegrationKinds } from '../../integrations/store.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { refuseInvalidScripts } from '../codec/check-scripts.ts';
import type { ConfigurationDependencies } from '../integration/configuration.ts';
import { type CopyDependencies, copyIntegrations } from '../integration/copy.ts';
import { integrationRoutes } from '../integration/routes.ts';
import { refuseBeyondLimit } from '../record-limits.ts';
import { withCounts } from './counts.ts';
import { generateMQTTCertificate, type MQTTCertificateDependencies } from './mqtt-certificate.ts';
import {
  hasMembers,
  propagateServiceProfile,
  type ServiceProfileChange,
  type ServiceProfileChangeDependencies,
} from './propagate-service-profile.ts';
import { type ApplicationRemovalDependencies, removeApplication } from './remove.ts';
import {
  checkServiceProfile,
  fromRow,
  insertApplication,
  listApplications,
  loadApplication,
  toRow,
  updateApplication,
} from './store.ts';

export interface ApplicationRoutesDependencies
  extends ServiceProfileChangeDependencies,
    ApplicationRemovalDependencies,
    MQTTCertificateDependencies,
    ConfigurationDependencies,
    CopyDependencies {
  codecs: PayloadCodecs;
  config: MQTTCertificateDependencies['config'] & ConfigurationDependencies['config'];
}

/**
 * The change to send to the network server when an application gets another service-profile; null when there is none.
 * Throws for a profile on another network server.
 */
async function serviceProfileChange(
  needs: ApplicationRoutesDependencies,
  { id, serviceProfileID }: Application,
): Promise<ServiceProfileChange | null> {
  const { database } = needs;
  const { id: applicationID, organization_id, service_profile_id } = await loadApplication(database, id);
  if (serviceProfileID === service_profile_id) return null;
  const before = await checkServiceProfile(database, service_profile_id, organization_id);
  const then = await checkServiceProfile(database, serviceProfileID, organization_id);
  if (before.network_server_id !== then.network_server_id) {
    const otherNetworkServer = refusal('OTHER_NETWORK_SERVER', { profile: 'service-profile' });
    throw atField('application.serviceProfileID', otherNetworkServer);
  }
  if (!(await hasMembers(needs, applicationID))) return null;
  return { applicationID, serviceProfileID, networkServerID: then.network_server_id };
}

/** Applications group the devices of one purpose; their service-profile decides the network server. */
export function applicationRoutes(needs: ApplicationRoutesDependencies): Handlers<Operations['application']> {
  const { database, clock, codecs } = needs;

  return {
    list: async ({ organizationID, search, include, ...page }, { principal }) => {
      const chosen = toFilterID(organizationID);
      const organizationIDs = chosen === undefined ? memberOrganizations(principal) : [chosen];
      const applications = { organizationIDs, within: applicationLimit(principal), search };
      const found = await listApplications(database, applications, page);
      return include === 'counts' ? { ...found, result: await withCounts(needs, found.result, clock.now()) } : found;
    },

    get: async ({ id }) => ({ application: fromRow(await loadApplication(database, id)) }),

    create: async ({ application, integrationsFrom }, { principal }) => {
      await refuseInvalidScripts(codecs, 'application', application, { principal });
      return database.transaction(async () => {
        const organizationID = toID(application.organizationID, 'organization');
        await checkServiceProfile(database, application.serviceProfileID, organizationID);
        await refuseBeyondLimit(database, 'application', { owner: 'organization', id: organizationID });
        const now = clock.now();
        const row = { ...toRow(application, now), organization_id: organizationID, created_at: now };
        const id = await insertApplication(database, row);
        if (toFilterID(integrationsFrom) !== undefined) {
          const { id: from } = await loadApplication(database, integrationsFrom);
          await copyIntegrations(needs, { from, to: id });
        }
        return { id: String(id) };
      });
    },

    update: async ({ application }, { principal }) => {
      const saved = fromRow(await loadApplication(database, application.id));
      await refuseInvalidScripts(codecs, 'application', application, { principal, saved });
      const since = clock.now();
      const change = await serviceProfileChange(needs, application);
      if (change) await propagateServiceProfile(needs, change);
      await database.transaction(async () => {
        const before = await loadApplication(database, application.id);
        await checkServiceProfile(database, application.serviceProfileID, before.organization_id);
        await updateApplication(database, before.id, toRow(application, clock.now()));
      });
      if (change) await propagateServiceProfile(needs, { ...change, since });
      return {};
    },

    delete: async ({ id }, { principal: by }) => {
      const { id: applicationID, name, organization_id: organizationID } = await loadApplication(database, id);
      const deletion = { kind: 'APPLICATION', recordID: String(applicationID), name, organizationID, by } as const;
      await removeApplication(needs, applicationID, deletion);
      return {};
    },

    listIntegrations: async ({ applicationID }) => {
      const { id } = await loadApplication(database, applicationID);
      const kinds = await listIntegrationKinds(database, id);
      // Global integrations are listed and not counted.
      const global = needs.mqtt ? (['MQTT_GLOBAL'] as const) : [];
      return { totalCount: String(kinds.length), result: [...kinds, ...global].map((kind) => ({ kind })) };
    },

    generateMQTTIntegrationClientCertificate: generateMQTTCertificate(needs),
    ...integrationRoutes(needs),
  };
}
