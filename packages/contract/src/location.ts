import { common } from '@hilltop/protobuf';
import { namesOf } from './names.ts';
import { double, message, oneOf, uint32, type ValueOf } from './wire.ts';

export const Location = message('common.Location', {
  latitude: double({ label: 'Latitude', unit: '°', min: -90, max: 90 }),
  longitude: double({ label: 'Longitude', unit: '°', min: -180, max: 180 }),
  altitude: double({ label: 'Altitude', unit: 'm', form: { required: true } }),
  source: oneOf(namesOf(common.LocationSource), { label: 'Source' }),
  accuracy: uint32({ label: 'Accuracy', unit: 'm' }),
});
export type Location = ValueOf<typeof Location>;
