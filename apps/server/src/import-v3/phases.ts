import { carryAPIKeys } from './migrate/api-keys.ts';
import { carryApplications } from './migrate/applications.ts';
import { carryDeviceProfiles } from './migrate/device-profiles.ts';
import { carryDevices } from './migrate/devices.ts';
import { carryGatewayProfiles } from './migrate/gateway-profiles.ts';
import { carryGateways } from './migrate/gateways.ts';
import { carryIntegrations } from './migrate/integrations.ts';
import { carryJoinNonces } from './migrate/join-nonces.ts';
import { carryMulticastGroups } from './migrate/multicast-groups.ts';
import { carryNetworkServers } from './migrate/network-servers.ts';
import { carryMembers, carryOrganizations } from './migrate/organizations.ts';
import { carryQueues } from './migrate/queues.ts';
import { carryServiceProfiles } from './migrate/service-profiles.ts';
import { carrySessions } from './migrate/sessions.ts';
import { carryStatistics } from './migrate/statistics.ts';
import { carryUsers } from './migrate/users.ts';
import type { Carry } from './move.ts';

export interface Phase {
  name: string;
  carry: Carry;
  /** What happens after the move is not of interest to the radio: the last pass does without. */
  isBehind?: true;
}

/** In this order, since each may ask what was carried before it. */
export const phases: readonly Phase[] = [
  { name: 'network-servers', carry: carryNetworkServers },
  { name: 'users', carry: carryUsers },
  { name: 'organizations', carry: carryOrganizations },
  { name: 'organization users', carry: carryMembers },
  { name: 'service-profiles', carry: carryServiceProfiles },
  { name: 'device-profiles', carry: carryDeviceProfiles },
  { name: 'gateway-profiles', carry: carryGatewayProfiles },
  { name: 'applications', carry: carryApplications },
  { name: 'API keys', carry: carryAPIKeys },
  { name: 'integrations', carry: carryIntegrations },
  { name: 'gateways', carry: carryGateways },
  { name: 'devices', carry: carryDevices },
  { name: 'multicast-groups', carry: carryMulticastGroups },
  { name: 'join nonces', carry: carryJoinNonces },
  { name: 'sessions', carry: carrySessions },
  { name: 'queued downlinks', carry: carryQueues },
  { name: 'statistics', carry: carryStatistics, isBehind: true },
];
