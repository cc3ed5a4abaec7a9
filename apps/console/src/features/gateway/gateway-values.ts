import type { Gateway, Location } from '@hilltop/contract';
import { hasPosition } from '../../components/map/map-point.ts';

const nowhere = { latitude: 0, longitude: 0, altitude: 0, source: 'UNKNOWN', accuracy: 0 } as const;

/** The values of a form hold the position as the user typed it; an empty box is not zero. */
type Typed = Omit<Gateway, 'location'> & {
  location: Omit<Location, 'latitude' | 'longitude'> & { latitude: number | ''; longitude: number | '' };
};

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

/** The values of a form: a gateway without a position has empty coordinates. */
export function toForm(gateway: Gateway): Gateway {
  const location = gateway.location ?? nowhere;
  if (hasPosition(location)) return { ...gateway, location };
  const typed: Typed = { ...gateway, location: { ...location, latitude: '', longitude: '' } };
  return typed as Gateway;
}

/** The gateway of a form. Empty coordinates are stored as "no position", a typed 0, 0 as configured. */
export function fromForm(gateway: Gateway): Gateway {
  const { location } = gateway as Typed;
  const { latitude, longitude } = location;
  if (latitude === '' || longitude === '') return { ...gateway, location: { ...nowhere, altitude: location.altitude } };
  const isOrigin = latitude === 0 && longitude === 0;
  return { ...gateway, location: { ...location, latitude, longitude, ...(isOrigin && { source: 'CONFIG' }) } };
}
