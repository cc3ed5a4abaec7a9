/**
 * By what lists of devices and gateways are filtered, and what they count. In a file without messages: the console loads
 * it with each list.
 */
import { type ConditionName, type ConditionSubject, conditionNames, conditionOf } from './conditions.ts';
import type { FilterFields } from './filter.ts';

/** A battery below this is low. */
export const lowBatteryPercent = 20;

/** The conditions of a kind of subject, as choices. */
const conditionsOf = (subject: ConditionSubject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    conditionNames.flatMap((name: ConditionName) => {
      const { subject: own, label } = conditionOf(name);
      return own === subject ? [[name, label]] : [];
    }),
  );

/** The fields by which devices are filtered. */
export const deviceFilters = {
  state: {
    label: 'Status',
    help: 'A disabled device, or one whose last join-request was refused, is also inactive or was never seen.',
    kind: 'choice',
    choices: {
      active: 'Active',
      inactive: 'Inactive',
      neverSeen: 'Never seen',
      disabled: 'Disabled',
      joinRefused: 'Join refused',
    },
  },
  condition: { label: 'Condition', help: 'What needs attention.', kind: 'choice', choices: conditionsOf('DEVICE') },
  application: { label: 'Application', kind: 'id', resource: 'application' },
  profile: { label: 'Device-profile', kind: 'uuid', resource: 'deviceProfile' },
  serviceProfile: { label: 'Service-profile', kind: 'uuid', resource: 'serviceProfile' },
  networkServer: { label: 'Network-server', kind: 'id', resource: 'networkServer' },
  tag: { label: 'Tag', kind: 'text', isKeyed: true, isOptional: true },
  lastSeenAt: { label: 'Last seen', kind: 'time', isOptional: true },
  battery: { label: 'Battery', kind: 'number', unit: '%', isOptional: true },
  margin: { label: 'Link margin', kind: 'number', unit: 'dB', isOptional: true },
  loss: { label: 'Loss', help: 'Of today and yesterday.', kind: 'number', unit: '%', isOptional: true },
  dr: { label: 'Data-rate', kind: 'number', isOptional: true },
  errors: { label: 'Codec errors', help: 'In the last 24 hours.', kind: 'presence', isOptional: true },
  joined: {
    label: 'Session',
    help: 'Whether the device has joined or was activated.',
    kind: 'presence',
    isOptional: true,
  },
} as const satisfies FilterFields;

/** The fields by which gateways are filtered. */
export const gatewayFilters = {
  state: {
    label: 'Status',
    kind: 'choice',
    choices: { online: 'Online', offline: 'Offline', neverSeen: 'Never seen' },
  },
  condition: { label: 'Condition', help: 'What needs attention.', kind: 'choice', choices: conditionsOf('GATEWAY') },
  networkServer: { label: 'Network-server', kind: 'id', resource: 'networkServer' },
  gatewayProfile: { label: 'Gateway-profile', kind: 'uuid', resource: 'gatewayProfile', isOptional: true },
  tag: { label: 'Tag', kind: 'text', isKeyed: true, isOptional: true },
  lastSeenAt: { label: 'Last seen', kind: 'time', isOptional: true },
} as const satisfies FilterFields;

export interface ListCount {
  readonly label: string;
  /** The filter of the list that shows what is counted. */
  readonly filter: string;
  /** Lists show it only where it is not zero. */
  readonly isRare?: true;
}

const countOfCondition = <Name extends ConditionName>(condition: Name) =>
  ({ label: conditionOf(condition).label, filter: `condition:is:${condition}`, isRare: true }) as const;

/** What is counted of devices beside all of them. A device can be in several. Not all conditions: some equal a state. */
export const deviceCounts = {
  active: { label: 'Active', filter: 'state:is:active' },
  inactive: { label: 'Inactive', filter: 'state:is:inactive' },
  neverSeen: { label: 'Never seen', filter: 'state:is:neverSeen' },
  disabled: { label: 'Disabled', filter: 'state:is:disabled' },
  joinRefused: { label: 'Join refused', filter: 'state:is:joinRefused' },
  lowBattery: { label: `Low battery (< ${lowBatteryPercent} %)`, filter: `battery:lt:${lowBatteryPercent}` },
  codecErrors: { label: 'Codec errors', filter: 'errors:set' },
  silent: countOfCondition('DEVICE_SILENT'),
  lost: countOfCondition('LOSS'),
  lowMargin: countOfCondition('LOW_MARGIN'),
  neverJoined: countOfCondition('NEVER_JOINED'),
} as const satisfies Record<string, ListCount>;
export type DeviceCountName = keyof typeof deviceCounts;

/** What is counted of gateways beside all of them. */
export const gatewayCounts = {
  online: { label: 'Online', filter: 'state:is:online' },
  offline: { label: 'Offline', filter: 'state:is:offline' },
  neverSeen: { label: 'Never seen', filter: 'state:is:neverSeen' },
} as const satisfies Record<string, ListCount>;
export type GatewayCountName = keyof typeof gatewayCounts;
