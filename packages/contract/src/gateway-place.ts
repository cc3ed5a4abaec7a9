/**
 * The locations of gateways. The recorded list has ten times as much data for each, which is too slow for a map of
 * thousands.
 */
import { first, listersOfOwn, organizationReaders } from './access.ts';
import { get, ownOperationsOf, smallPage } from './operation.ts';
import { double, eui64, int64, listOf, message, text, timestamp, type ValueOf } from './wire.ts';

export const GatewayPlace = message('hilltop.GatewayPlace', {
  id: eui64(),
  name: text(),
  organizationID: int64(),
  latitude: double({ unit: '°', help: 'Latitude and longitude are 0 without a known position.' }),
  longitude: double({ unit: '°' }),
  lastSeenAt: timestamp(),
});
export type GatewayPlace = ValueOf<typeof GatewayPlace>;

export const gatewayPlace = ownOperationsOf('gatewayPlace', {
  list: get('/api/gateway-places', {
    summary: 'List positions and last-seen times of gateways, ordered by ID',
    request: message('hilltop.ListGatewayPlacesRequest', { limit: smallPage.limit, organizationID: int64() }),
    response: message('hilltop.ListGatewayPlacesResponse', { result: listOf(GatewayPlace) }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
});
