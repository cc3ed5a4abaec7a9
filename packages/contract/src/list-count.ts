/** How many devices and gateways a list has by state. The recorded API counts a whole organization only. */
import {
  admins,
  applicationReaders,
  every,
  first,
  limitedReaders,
  listersOfOwn,
  organizationReaders,
} from './access.ts';
import { filterTexts } from './filter.ts';
import { deviceCounts, deviceFilters, gatewayCounts, gatewayFilters, type ListCount } from './list-fields.ts';
import { get, ownOperationsOf } from './operation.ts';
import { shortText } from './rules.ts';
import { int64, message, text, uint32, type ValueOf } from './wire.ts';

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
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: limitedReaders },
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
