/** The positions of devices, for maps. The recorded API has the one of a device at a time. */
import { first, limitedReaders, listersOfOwn } from './access.ts';
import { get, ownOperationsOf, smallPage } from './operation.ts';
import { double, eui64, int64, listOf, message, text, timestamp, type ValueOf } from './wire.ts';

export const DevicePlace = message('hilltop.DevicePlace', {
  devEUI: eui64(),
  name: text(),
  applicationID: int64(),
  organizationID: int64(),
  latitude: double({ unit: '°' }),
  longitude: double({ unit: '°' }),
  lastSeenAt: timestamp(),
});
export type DevicePlace = ValueOf<typeof DevicePlace>;

export const devicePlace = ownOperationsOf('devicePlace', {
  list: get('/api/device-places', {
    summary: 'List devices that have a position',
    request: message('hilltop.ListDevicePlacesRequest', { limit: smallPage.limit, organizationID: int64() }),
    response: message('hilltop.ListDevicePlacesResponse', { totalCount: int64(), result: listOf(DevicePlace) }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: limitedReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
});
