import { double, enumeration, message, oneOf, uint32, type ValueOf } from './wire.ts';

export const LocationSource = enumeration('common.LocationSource', [
  'UNKNOWN',
  'GPS',
  'CONFIG',
  'GEO_RESOLVER_TDOA',
  'GEO_RESOLVER_RSSI',
  'GEO_RESOLVER_GNSS',
  'GEO_RESOLVER_WIFI',
]);

export const Location = message('common.Location', {
  latitude: double({ label: 'Latitude', unit: '°', min: -90, max: 90 }),
  longitude: double({ label: 'Longitude', unit: '°', min: -180, max: 180 }),
  altitude: double({ label: 'Altitude', unit: 'm', form: { required: true } }),
  source: oneOf(LocationSource, { label: 'Source' }),
  accuracy: uint32({ label: 'Accuracy', unit: 'm' }),
});
export type Location = ValueOf<typeof Location>;
