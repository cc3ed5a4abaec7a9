/** The newest uplinks of the devices of a device-profile, as input for its codec. Ours. */
import { deviceAdmins, only } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import { bytes, count, eui64, listOf, message, text, timestamp, uint32, uuid, type ValueOf } from './wire.ts';

export const ProfileUplink = message('hilltop.ProfileUplink', {
  devEUI: eui64({ label: 'Device EUI' }),
  deviceName: text({ label: 'Device name' }),
  publishedAt: timestamp({ label: 'Received' }),
  fCnt: uint32({ label: 'Frame-counter' }),
  fPort: uint32({ label: 'Port' }),
  data: bytes({ label: 'Bytes' }),
  objectJSON: text({ label: 'Decoded object', help: 'As in the event; empty when it was not decoded.' }),
});
export type ProfileUplink = ValueOf<typeof ProfileUplink>;

export const profileUplink = ownOperationsOf('profileUplink', {
  list: get('/api/device-profiles/{device_profile_id}/uplinks', {
    summary: 'List the newest uplinks with a payload of the devices of a device-profile, newest first',
    request: message('hilltop.ListProfileUplinksRequest', {
      deviceProfileID: uuid({ required: true }),
      limit: count({ label: 'Uplinks', min: 0, clamp: 50 }),
    }),
    response: message('hilltop.ListProfileUplinksResponse', { result: listOf(ProfileUplink) }),
    access: only('deviceProfile', 'deviceProfileID', deviceAdmins),
  }),
});
