/** Devices that send join-requests and are not registered. Not in the recorded API. */
import { only, organizationAdmins, type Role } from './access.ts';
import { get, ownOperationsOf, page, remove } from './operation.ts';
import { shortText } from './rules.ts';
import { bool, count, double, eui64, int32, int64, listOf, message, text, timestamp, type ValueOf } from './wire.ts';

/** How long an unknown device is stored after its last join-request, and how long a hidden one stays hidden. */
export const unknownDeviceDays = 7;

const HeardByGateway = message('hilltop.HeardByGateway', {
  gatewayID: eui64({ label: 'Gateway' }),
  name: text({ label: 'Name of the gateway' }),
  rssi: int32({ label: 'RSSI', unit: 'dBm' }),
  snr: double({ label: 'SNR', unit: 'dB' }),
});

export const UnknownDevice = message('hilltop.UnknownDevice', {
  devEUI: eui64({ label: 'Device EUI' }),
  joinEUI: eui64({ label: 'Join EUI' }),
  devNonce: count({ label: 'DevNonce', help: 'Of its last join-request.' }),
  times: count({ label: 'Times', help: 'The number of its join-requests.' }),
  firstAt: timestamp({ label: 'First received' }),
  lastAt: timestamp({ label: 'Last received' }),
  networkServerID: int64({ label: 'Network-server' }),
  region: text({ label: 'Region' }),
  gateways: listOf(HeardByGateway, { label: 'Gateways', help: 'At most five of the organization, best first.' }),
});
export type UnknownDevice = ValueOf<typeof UnknownDevice>;

const readers = [...organizationAdmins, 'deviceAdmin', 'gatewayAdmin'] as const satisfies readonly Role[];
const access = only('organization', 'organizationID', readers);
const organizationID = int64({ label: 'Organization', required: true });

export const unknownDevice = ownOperationsOf('unknownDevice', {
  list: get('/api/organizations/{organization_id}/unknown-devices', {
    summary: 'List unregistered devices whose join-requests gateways of the organization received, the latest first',
    request: message('hilltop.ListUnknownDevicesRequest', {
      organizationID,
      ...page,
      search: text({ ...shortText, label: 'Search', help: 'Part of a DevEUI or JoinEUI.' }),
    }),
    response: message('hilltop.ListUnknownDevicesResponse', {
      totalCount: int64(),
      result: listOf(UnknownDevice),
      others: int64({ label: 'Others', help: 'Join-requests of more devices than are stored.' }),
      isEnabled: bool({ label: 'Enabled', help: 'False: the setting HILLTOP_LIST_UNREGISTERED stores none.' }),
    }),
    access,
  }),
  hide: remove('/api/organizations/{organization_id}/unknown-devices/{dev_eui}', {
    summary: 'Leave an unregistered device out of the list for seven days',
    request: message('hilltop.HideUnknownDeviceRequest', { organizationID, devEUI: eui64({ required: true }) }),
    access,
  }),
});
