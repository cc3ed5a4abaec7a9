import { common } from '@hilltop/protobuf';
import { admins, globally } from './access.ts';
import { namesOf } from './names.ts';
import { extended, get, including, operationsOf, page, post, put, remove, searchable, sortable } from './operation.ts';
import { networkServerOfProfile, noControlCharacters, radioList } from './rules.ts';
import {
  duration,
  ifGiven,
  int64,
  list,
  listOf,
  message,
  needed,
  oneOf,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

export const GatewayProfileExtraChannel = message('api.GatewayProfileExtraChannel', {
  modulation: oneOf(namesOf(common.Modulation), { label: 'Modulation', form: { required: true } }),
  frequency: uint32({ label: 'Frequency', unit: 'Hz', form: { required: true } }),
  bandwidth: uint32({
    label: 'Bandwidth',
    unit: 'kHz',
    choices: [
      { value: 125, label: '125 kHz' },
      { value: 250, label: '250 kHz' },
      { value: 500, label: '500 kHz' },
    ],
    form: { required: true },
  }),
  bitrate: uint32({
    label: 'Bitrate',
    help: 'Usually 50000.',
    unit: 'bit/s',
    form: { requiredWhen: { field: 'modulation', is: 'FSK' } },
  }),
  spreadingFactors: list(uint32(), {
    ...radioList,
    label: 'Spreading-factors',
    help: 'Numbers separated by commas, such as 7, 8, 9. Several numbers define a multi-SF channel.',
    form: { requiredWhen: { field: 'modulation', is: 'LORA' } },
  }),
});
export type GatewayProfileExtraChannel = ValueOf<typeof GatewayProfileExtraChannel>;

export const GatewayProfile = message('api.GatewayProfile', {
  id: uuid({ label: 'Gateway-profile ID' }),
  name: text({
    ...noControlCharacters,
    label: 'Name',
    help: 'A short name for the gateway-profile.',
    maxLength: 100,
    form: { required: true },
  }),
  networkServerID: int64(networkServerOfProfile),
  channels: list(uint32(), {
    ...radioList,
    label: 'Enabled channels',
    help: 'Channel numbers of the region, separated by commas. Extra channels are not among them.',
    form: { required: true },
  }),
  extraChannels: listOf(GatewayProfileExtraChannel, { ...radioList, label: 'Extra channels' }),
  statsInterval: duration({
    label: 'Stats interval',
    help: 'How often the gateway sends its statistics. 30 seconds is recommended.',
    unit: 's',
    min: 0,
    form: { required: true },
  }),
});
export type GatewayProfile = ValueOf<typeof GatewayProfile>;

const RecordedListItem = message(
  'api.GatewayProfileListItem',
  {
    id: text(),
    name: text(),
    networkServerID: int64(),
    networkServerName: text(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  [1, 2, 3, 7, 5, 6],
);
/** The counts are returned on request by `include=counts`. */
export const GatewayProfileListItem = extended(RecordedListItem, {
  gatewayCount: [1000, ifGiven(uint32({ label: 'Gateways' }))],
  statsInterval: [1001, ifGiven(duration({ label: 'Stats interval', unit: 's' }))],
});
export type GatewayProfileListItem = ValueOf<typeof GatewayProfileListItem>;

const oneProfile = { id: uuid({ required: true }) } as const;
const readers = ['anyUser', 'anyKey'] as const;

export const gatewayProfile = operationsOf('gatewayProfile', 'GatewayProfileService', {
  list: get('/api/gateway-profiles', {
    summary: 'List gateway-profiles by name',
    request: searchable(
      including(
        sortable(
          message('api.ListGatewayProfilesRequest', { ...page, networkServerID: int64() }),
          GatewayProfileListItem,
          'name',
          'networkServerName',
          'createdAt',
        ),
        'counts',
      ),
    ),
    response: message('api.ListGatewayProfilesResponse', {
      totalCount: int64(),
      result: listOf(GatewayProfileListItem),
    }),
    access: globally(...readers),
  }),
  get: get('/api/gateway-profiles/{id}', {
    summary: 'Get a gateway-profile',
    request: message('api.GetGatewayProfileRequest', oneProfile),
    response: message('api.GetGatewayProfileResponse', {
      gatewayProfile: needed(GatewayProfile),
      createdAt: timestamp(),
      updatedAt: timestamp(),
    }),
    access: globally(...readers),
  }),
  create: post('/api/gateway-profiles', {
    summary: 'Create a gateway-profile',
    request: message('api.CreateGatewayProfileRequest', { gatewayProfile: needed(GatewayProfile) }),
    response: message('api.CreateGatewayProfileResponse', { id: text() }),
    access: globally(...admins),
  }),
  update: put('/api/gateway-profiles/{gateway_profile.id}', {
    summary: 'Update a gateway-profile; its network-server does not change',
    request: message('api.UpdateGatewayProfileRequest', { gatewayProfile: needed(GatewayProfile) }),
    access: globally(...admins),
  }),
  delete: remove('/api/gateway-profiles/{id}', {
    summary: 'Delete a gateway-profile that no gateway uses',
    request: message('api.DeleteGatewayProfileRequest', oneProfile),
    access: globally(...admins),
  }),
});
