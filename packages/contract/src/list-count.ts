/** How many devices and gateways a list has by state. The recorded API counts a whole organization only. */
import { admins, applicationReaders, every, first, listersOfOwn, organizationReaders } from './access.ts';
import { deviceFilters, lowBatteryPercent } from './device.ts';
import { filterTexts } from './filter.ts';
import { gatewayFilters } from './gateway.ts';
import { get, ownOperationsOf } from './operation.ts';
import { shortText } from './rules.ts';
import { int64, message, text, uint32, type ValueOf } from './wire.ts';

interface ListCount {
  readonly label: string;
  /** The filter of the list that shows what is counted. */
  readonly filter: string;
}

/** What is counted of devices beside all of them. A device can be in several. */
export const deviceCounts = {
  active: { label: 'Active', filter: 'state:is:active' },
  inactive: { label: 'Inactive', filter: 'state:is:inactive' },
  neverSeen: { label: 'Never seen', filter: 'state:is:neverSeen' },
  disabled: { label: 'Disabled', filter: 'state:is:disabled' },
  joinRefused: { label: 'Join refused', filter: 'state:is:joinRefused' },
  lowBattery: { label: `Low battery (< ${lowBatteryPercent} %)`, filter: `battery:lt:${lowBatteryPercent}` },
  codecErrors: { label: 'Codec errors', filter: 'errors:set' },
} as const satisfies Record<string, ListCount>;
export type DeviceCountName = keyof typeof deviceCounts;

/** What is counted of gateways beside all of them. */
export const gatewayCounts = {
  online: { label: 'Online', filter: 'state:is:online' },
  offline: { label: 'Offline', filter: 'state:is:offline' },
  neverSeen: { label: 'Never seen', filter: 'state:is:neverSeen' },
} as const satisfies Record<string, ListCount>;
export type GatewayCountName = keyof typeof gatewayCounts;

/** `all`, and one member for each count. */
function membersOf<Name extends string>(counts: Readonly<Record<Name, ListCount>>) {
  const members = Object.entries<ListCount>(counts).map(([name, { label }]) => [name, uint32({ label })]);
  return { all: uint32({ label: 'All' }), ...Object.fromEntries(members) } as {
    readonly [Member in 'all' | Name]: ReturnType<typeof uint32>;
  };
}

const DeviceCounts = message('hilltop.DeviceCounts', membersOf(deviceCounts));
export type DeviceCounts = ValueOf<typeof DeviceCounts>;
const GatewayCounts = message('hilltop.GatewayCounts', membersOf(gatewayCounts));
export type GatewayCounts = ValueOf<typeof GatewayCounts>;

export const deviceCount = ownOperationsOf('deviceCount', {
  get: get('/api/device-counts', {
    summary:
      'Count devices by state: those of an organization, of an application, or all, that match search and filters',
    request: message('hilltop.GetDeviceCountRequest', {
      organizationID: int64(),
      applicationID: int64(),
      search: text(shortText),
      filter: filterTexts(deviceFilters),
    }),
    response: DeviceCounts,
    access: every(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { when: 'applicationID', on: 'application', of: 'applicationID', allow: applicationReaders },
      { on: 'global', allow: admins },
    ),
  }),
});

export const gatewayCount = ownOperationsOf('gatewayCount', {
  get: get('/api/gateway-counts', {
    summary:
      'Count gateways by state: those of an organization, or of all that you may see, that match search and filters',
    request: message('hilltop.GetGatewayCountRequest', {
      organizationID: int64(),
      search: text(shortText),
      filter: filterTexts(gatewayFilters),
    }),
    response: GatewayCounts,
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
});
