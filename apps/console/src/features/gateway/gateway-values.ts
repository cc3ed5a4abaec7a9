import type { Gateway } from '@hilltop/contract';

const nowhere = { latitude: 0, longitude: 0, altitude: 0, source: 'UNKNOWN', accuracy: 0 } as const;

/** What a new gateway begins with. */
export const emptyGateway: Gateway = {
  id: '',
  name: '',
  description: '',
  location: nowhere,
  organizationID: '',
  discoveryEnabled: false,
  networkServerID: '',
  serviceProfileID: '',
  gatewayProfileID: '',
  boards: [],
  tags: {},
  metadata: {},
};

/** One that was registered without a position stands nowhere until somebody says where. */
export const placed = (gateway: Gateway): Gateway => ({ ...gateway, location: gateway.location ?? nowhere });
