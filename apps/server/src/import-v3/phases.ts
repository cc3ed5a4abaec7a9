import { carryAPIKeys } from './carry/api-keys.ts';
import { carryApplications } from './carry/applications.ts';
import { carryDeviceProfiles } from './carry/device-profiles.ts';
import { carryDevices } from './carry/devices.ts';
import { carryGatewayProfiles } from './carry/gateway-profiles.ts';
import { carryGateways } from './carry/gateways.ts';
import { carryIntegrations } from './carry/integrations.ts';
import { carryJoinNonces } from './carry/join-nonces.ts';
import { carryMulticastGroups } from './carry/multicast-groups.ts';
import { carryNetworkServers } from './carry/network-servers.ts';
import { carryMembers, carryOrganizations } from './carry/organizations.ts';
import { carryQueues } from './carry/queues.ts';
import { carryServiceProfiles } from './carry/service-profiles.ts';
import { carrySessions } from './carry/sessions.ts';
import { carryStatistics } from './carry/statistics.ts';
import { carryUsers } from './carry/users.ts';
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
