/** The first steps of a new installation up to the first value. Not in the recorded API. */
import { admins, deviceAdmins, every, first, globally, organizationAdmins, organizationReaders } from './access.ts';
import { Location } from './location.ts';
import { get, ownOperationsOf, post } from './operation.ts';
import { strictName, tags, tagValue } from './rules.ts';
import { aes128Key, bool, count, eui64, int64, map, message, optional, text, uuid, type ValueOf } from './wire.ts';

export const FirstSteps = message('hilltop.FirstSteps', {
  organizationID: int64({ help: 'The organization they are about: the one asked for, or else the first; 0 for none.' }),
  canMakeProfiles: bool({ help: 'There is a network-server inside this process, whose region is known.' }),
  hasProfiles: bool({ label: 'Profiles' }),
  canHaveGateways: bool({ help: 'Otherwise gateways of other organizations receive its devices.' }),
  hasGateway: bool({ label: 'Gateway', help: 'A gateway that has connected.' }),
  hasApplication: bool({ label: 'Application' }),
  hasDevice: bool({ label: 'Device' }),
  hasValue: bool({ label: 'First value', help: 'The last uplink of a device was decoded.' }),
});
export type FirstSteps = ValueOf<typeof FirstSteps>;

export const AddDeviceRequest = message('hilltop.AddDeviceRequest', {
  organizationID: int64({ required: true }),
  name: text({ ...strictName, label: 'Device name' }),
  devEUI: eui64({ label: 'Device EUI', help: 'Printed on the label as DevEUI (16 digits).', required: true }),
  deviceProfileID: uuid({ label: 'Device-profile', help: 'The type of the device.', required: true }),
  nwkKey: aes128Key({ label: 'Application key', required: true, secret: true }),
  appKey: aes128Key({ label: 'Application key', secret: true }),
  applicationID: int64({ label: 'Application', help: 'The application that receives its data.' }),
  applicationName: text({
    label: 'Name of the new application',
    help: 'It is created together with the device.',
    maxLength: strictName.maxLength,
    pattern: strictName.pattern,
    message: strictName.message,
  }),
  tags: map('text', text(tagValue), tags),
  location: optional(Location, { label: 'Position', help: 'Where the device is, until it is located by its uplinks.' }),
});
export type AddDeviceRequest = ValueOf<typeof AddDeviceRequest>;

const scope = { organizationID: int64() } as const;

export const firstSteps = ownOperationsOf('firstSteps', {
  get: get('/api/first-steps', {
    summary: 'Get the completed first steps of an organization',
    request: message('hilltop.GetFirstStepsRequest', scope),
    response: FirstSteps,
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: admins },
    ),
  }),
  makeProfiles: post('/api/first-steps/profiles', {
    summary: 'Create the standard service- and device-profiles for each embedded network-server; existing ones stay',
    request: message('hilltop.MakeProfilesRequest', scope),
    response: message('hilltop.MakeProfilesResponse', {
      organizationID: int64({ help: 'The organization of the profiles; a new one when there was none.' }),
      serviceProfiles: count(),
      deviceProfiles: count(),
    }),
    access: globally(...admins),
  }),
  addDevice: post('/api/first-steps/device', {
    summary: 'Create an OTAA device with its keys and, when named, its application in one transaction',
    request: AddDeviceRequest,
    response: message('hilltop.AddDeviceResponse', { applicationID: int64() }),
    // Callers that may create each of them.
    access: every(
      { on: 'organization', of: 'organizationID', allow: deviceAdmins },
      { when: 'applicationName', on: 'organization', of: 'organizationID', allow: organizationAdmins },
    ),
  }),
});
