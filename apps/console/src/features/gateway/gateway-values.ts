import type { Gateway } from '@hilltop/contract';

const nowhere = { latitude: 0, longitude: 0, altitude: 0, source: 'UNKNOWN', accuracy: 0 } as const;

/** The initial values of a new gateway. */
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

/** A gateway registered without a location has none until a user sets it. */
export const placed = (gateway: Gateway): Gateway => ({ ...gateway, location: gateway.location ?? nowhere });
