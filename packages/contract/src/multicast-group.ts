import { applicationReaders, deviceAdmins, every, limitedReaders, only, organizationReaders } from './access.ts';
import { mostQueuedBytes } from './device-queue.ts';
import { extended, get, including, operationsOf, page, post, put, remove, sortable } from './operation.ts';
import { pingSlotPeriods, plainName, shortText } from './rules.ts';
import {
  aes128Key,
  bytes,
  devAddr,
  enumeration,
  eui64,
  ifGiven,
  int64,
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

const MulticastGroupType = enumeration('api.MulticastGroupType', ['CLASS_C', 'CLASS_B']);
const classB = { requiredWhen: { field: 'groupType', is: 'CLASS_B' } } as const;
const classC = { requiredWhen: { field: 'groupType', is: 'CLASS_C' } } as const;

export const MulticastGroup = message(
  'api.MulticastGroup',
  {
    id: uuid({ label: 'Multicast-group ID' }),
    name: text({ ...plainName, label: 'Multicast-group name', help: 'A name to identify the multicast-group.' }),
    mcAddr: devAddr({
      label: 'Multicast address',
      help: 'The address that all devices of the group listen to in addition to their own.',
      required: true,
    }),
    mcNwkSKey: aes128Key({ label: 'Multicast network session key', required: true, secret: true }),
    mcAppSKey: aes128Key({ label: 'Multicast application session key', required: true, secret: true }),
    fCnt: uint32({
      label: 'Frame-counter',
      help: 'Counter of the next downlink. You can only decrease it together with a new address or new keys.',
      form: { required: true },
    }),
    groupType: oneOf(MulticastGroupType, {
      label: 'Multicast-group type',
      help: 'When the devices listen: in Class-C always, in Class-B in their ping-slots.',
      choices: [
        { value: 'CLASS_C', label: 'Class-C' },
        { value: 'CLASS_B', label: 'Class-B' },
      ],
    }),
    dr: uint32({
      label: 'Data-rate',
      help: 'The number of the data-rate at which the devices listen.',
      max: 15,
      form: { required: true },
    }),
    frequency: uint32({
      label: 'Frequency',
      help: 'The frequency on which the devices listen. With Class-B, 0 uses the default of the region.',
      unit: 'Hz',
      form: classC,
    }),
    pingSlotPeriod: uint32({
      label: 'Class-B ping-slot periodicity',
      choices: pingSlotPeriods,
      max: 4096,
      form: classB,
    }),
    applicationID: int64({ label: 'Application', required: true, fixed: true }),
  },
  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
);
export type MulticastGroup = ValueOf<typeof MulticastGroup>;

const RecordedListItem = message(
  'api.MulticastGroupListItem',
  { id: text(), name: text(), applicationID: int64(), applicationName: text() },
  [1, 2, 5, 6],
);
/** The count is returned on request by `include=counts`. */
export const MulticastGroupListItem = extended(RecordedListItem, {
  deviceCount: [1000, ifGiven(uint32({ label: 'Devices' }))],
});
export type MulticastGroupListItem = ValueOf<typeof MulticastGroupListItem>;

export const MulticastQueueItem = message('api.MulticastQueueItem', {
  multicastGroupID: uuid({ label: 'Multicast-group ID', required: true }),
  fCnt: uint32({ label: 'Frame-counter', help: 'Set by the server when it queues the item.' }),
  fPort: uint32({
    label: 'Port',
    help: 'Applications use 1 to 223.',
    required: true,
    min: 1,
    max: 224,
    form: { max: 223 },
  }),
  data: bytes({
    label: 'Base64 encoded payload',
    help: 'The bytes to send, not encrypted.',
    maxBytes: mostQueuedBytes,
    form: { required: true },
  }),
});
export type MulticastQueueItem = ValueOf<typeof MulticastQueueItem>;

const oneGroup = { id: uuid({ required: true }) } as const;
const ofGroup = { multicastGroupID: uuid({ required: true }) } as const;
const member = { ...ofGroup, devEUI: eui64({ label: 'Device EUI', required: true }) } as const;
const changeMembers = only('multicastGroup', 'multicastGroupID', deviceAdmins);
const sendAndReceive = only('multicastGroup', 'multicastGroupID', organizationReaders);

export const multicastGroup = operationsOf('multicastGroup', 'MulticastGroupService', {
  list: get('/api/multicast-groups', {
    summary: 'List multicast-groups by name: of an organization, of an application, or with a device',
    request: including(
      sortable(
        extended(
          message(
            'api.ListMulticastGroupRequest',
            { ...page, organizationID: int64(), devEUI: eui64(), search: text(shortText), applicationID: int64() },
            [1, 2, 3, 4, 6, 7],
          ),
          { serviceProfileID: [1001, uuid()] },
        ),
        MulticastGroupListItem,
        'name',
        'applicationName',
      ),
      'counts',
    ),
    response: message('api.ListMulticastGroupResponse', {
      totalCount: int64(),
      result: listOf(MulticastGroupListItem),
    }),
    access: every(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: limitedReaders },
      { when: 'applicationID', on: 'application', of: 'applicationID', allow: applicationReaders },
      { when: 'serviceProfileID', on: 'serviceProfile', of: 'serviceProfileID', allow: organizationReaders },
      { when: 'devEUI', on: 'device', of: 'devEUI', allow: applicationReaders },
      { on: 'global', allow: ['globalAdmin'] },
    ),
  }),
  get: get('/api/multicast-groups/{id}', {
    summary: 'Get a multicast-group',
    request: message('api.GetMulticastGroupRequest', oneGroup),
    response: message('api.GetMulticastGroupResponse', {
      multicastGroup: needed(MulticastGroup),
      createdAt: timestamp(),
      updatedAt: timestamp(),
    }),
    access: only('multicastGroup', 'id', applicationReaders),
  }),
  create: post('/api/multicast-groups', {
    summary: 'Create a multicast-group in an application',
    request: message('api.CreateMulticastGroupRequest', { multicastGroup: needed(MulticastGroup) }),
    response: message('api.CreateMulticastGroupResponse', { id: text() }),
    access: only('application', 'multicastGroup.applicationID', deviceAdmins),
  }),
  update: put('/api/multicast-groups/{multicast_group.id}', {
    summary: 'Update a multicast-group; its application does not change',
    request: message('api.UpdateMulticastGroupRequest', { multicastGroup: needed(MulticastGroup) }),
    access: only('multicastGroup', 'multicastGroup.id', deviceAdmins),
  }),
  delete: remove('/api/multicast-groups/{id}', {
    summary: 'Delete a multicast-group; its devices are not deleted',
    request: message('api.DeleteMulticastGroupRequest', oneGroup),
    access: only('multicastGroup', 'id', deviceAdmins),
  }),
  addDevice: post('/api/multicast-groups/{multicast_group_id}/devices', {
    summary: 'Add a device of the same application to a multicast-group',
    request: message('api.AddDeviceToMulticastGroupRequest', member),
    access: changeMembers,
  }),
  removeDevice: remove('/api/multicast-groups/{multicast_group_id}/devices/{dev_eui}', {
    summary: 'Remove a device from a multicast-group',
    request: message('api.RemoveDeviceFromMulticastGroupRequest', member),
    access: changeMembers,
  }),
  listQueue: get('/api/multicast-groups/{multicast_group_id}/queue', {
    summary: 'List the queued downlinks of a multicast-group',
    request: message('api.ListMulticastGroupQueueItemsRequest', ofGroup),
    response: message('api.ListMulticastGroupQueueItemsResponse', { multicastQueueItems: listOf(MulticastQueueItem) }),
    access: sendAndReceive,
  }),
  enqueue: post('/api/multicast-groups/{multicast_queue_item.multicast_group_id}/queue', {
    summary: 'Queue a downlink for all devices of a multicast-group',
    request: message('api.EnqueueMulticastQueueItemRequest', { multicastQueueItem: needed(MulticastQueueItem) }),
    response: message('api.EnqueueMulticastQueueItemResponse', { fCnt: uint32() }),
    effect: 'send',
    access: only('multicastGroup', 'multicastQueueItem.multicastGroupID', organizationReaders),
  }),
  flushQueue: remove('/api/multicast-groups/{multicast_group_id}/queue', {
    summary: 'Remove all queued downlinks of a multicast-group',
    request: message('api.FlushMulticastGroupQueueItemsRequest', ofGroup),
    effect: 'send',
    access: sendAndReceive,
  }),
});
