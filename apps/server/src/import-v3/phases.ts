import { importAPIKeys } from './migrate/api-keys.ts';
import { importApplications } from './migrate/applications.ts';
import { importDeviceProfiles } from './migrate/device-profiles.ts';
import { importDevices } from './migrate/devices.ts';
import { importGatewayProfiles } from './migrate/gateway-profiles.ts';
import { importGateways } from './migrate/gateways.ts';
import type { ImportStep } from './migrate/import-pass.ts';
import { importIntegrations } from './migrate/integrations.ts';
import { importJoinNonces } from './migrate/join-nonces.ts';
import { importMulticastGroups } from './migrate/multicast-groups.ts';
import { importNetworkServers } from './migrate/network-servers.ts';
import { importMembers, importOrganizations } from './migrate/organizations.ts';
import { importQueues } from './migrate/queues.ts';
import { importServiceProfiles } from './migrate/service-profiles.ts';
import { importSessions } from './migrate/sessions.ts';
import { importStatistics } from './migrate/statistics.ts';
import { importUsers } from './migrate/users.ts';

export interface Phase {
  name: string;
  run: ImportStep;
  /** The last pass skips it: it does not concern the radio, and the old servers are stopped meanwhile. */
  skippedByLastPass?: true;
}

/** In this order, since a phase may look up what an earlier one imported. */
export const phases: readonly Phase[] = [
  { name: 'network-servers', run: importNetworkServers },
  { name: 'users', run: importUsers },
  { name: 'organizations', run: importOrganizations },
  { name: 'organization users', run: importMembers },
  { name: 'service-profiles', run: importServiceProfiles },
  { name: 'device-profiles', run: importDeviceProfiles },
  { name: 'gateway-profiles', run: importGatewayProfiles },
  { name: 'applications', run: importApplications },
  { name: 'API keys', run: importAPIKeys },
  { name: 'integrations', run: importIntegrations },
  { name: 'gateways', run: importGateways },
  { name: 'devices', run: importDevices },
  { name: 'multicast-groups', run: importMulticastGroups },
  { name: 'join nonces', run: importJoinNonces },
  { name: 'sessions', run: importSessions },
  { name: 'queued downlinks', run: importQueues },
  { name: 'statistics', run: importStatistics, skippedByLastPass: true },
];
