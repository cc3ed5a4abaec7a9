/** Deleted records that can be restored. Ours: the recorded API deletes for good. */
import {
  type Access,
  administrators,
  admins,
  deviceAdmins,
  first,
  gatewayAdmins,
  only,
  organizationAdmins,
  type Role,
} from './access.ts';
import { get, ownOperationsOf, page, post, remove } from './operation.ts';
import { shortText } from './rules.ts';
import {
  bool,
  enumeration,
  int32,
  int64,
  listOf,
  message,
  oneOf,
  text,
  timestamp,
  uuid,
  type ValueOf,
} from './wire.ts';

interface TrashKind {
  /** Its name in sentences. */
  readonly called: string;
  /** Who deletes such records, and so restores them. */
  readonly deleters: readonly Role[];
}

/** The kinds of records that can be deleted on their own. */
export const trashKinds = {
  DEVICE: { called: 'device', deleters: deviceAdmins },
  GATEWAY: { called: 'gateway', deleters: gatewayAdmins },
  DEVICE_PROFILE: { called: 'device-profile', deleters: deviceAdmins },
  SERVICE_PROFILE: { called: 'service-profile', deleters: admins },
  APPLICATION: { called: 'application', deleters: organizationAdmins },
  ORGANIZATION: { called: 'organization', deleters: admins },
} as const satisfies Record<string, TrashKind>;
export type TrashKindName = keyof typeof trashKinds;
const kindNames = Object.keys(trashKinds) as TrashKindName[];

/** What an application or organization contains, and what is restored with it. */
export const trashedNames = [...kindNames, 'MULTICAST_GROUP', 'INTEGRATION'] as const;
export type TrashedName = (typeof trashedNames)[number];

const Kind = enumeration('hilltop.TrashKind', kindNames);
const Trashed = enumeration('hilltop.TrashedKind', trashedNames);

const TrashCount = message('hilltop.TrashCount', {
  kind: oneOf(Trashed, { label: 'Kind' }),
  count: int32({ label: 'Number' }),
});
export type TrashCount = ValueOf<typeof TrashCount>;

export const TrashEntry = message('hilltop.TrashEntry', {
  id: uuid({ label: 'Trash ID' }),
  organizationID: int64({ label: 'Organization' }),
  organizationName: text({ label: 'Organization', help: 'Empty when the organization was deleted.' }),
  kind: oneOf(Kind, { label: 'Kind' }),
  recordID: text({ label: 'Record', help: 'The ID or EUI that the record had.' }),
  name: text({ label: 'Name' }),
  contents: listOf(TrashCount, {
    label: 'Records',
    help: 'What can be restored, by kind; the record itself included.',
  }),
  deletedBy: text({ label: 'Deleted by', help: 'An e-mail address or the name of an API key.' }),
  deletedAt: timestamp({ label: 'Deleted' }),
  expiresAt: timestamp({ label: 'Removed for good', help: 'Null: now.' }),
  isPartial: bool({
    label: 'Not deleted completely',
    help: 'The deletion was interrupted: the record exists, and some of what it contained is here.',
  }),
});
export type TrashEntry = ValueOf<typeof TrashEntry>;

const TrashRefusal = message('hilltop.TrashRefusal', {
  kind: oneOf(Trashed, { label: 'Kind' }),
  recordID: text({ label: 'Record' }),
  name: text({ label: 'Name' }),
  reason: text({ label: 'Reason', help: 'Why it could not be restored, and what to do.' }),
});
export type TrashRefusal = ValueOf<typeof TrashRefusal>;

/** The most refused records that one call names. */
export const mostTrashRefusals = 100;

const everyDeleter = [...organizationAdmins, 'deviceAdmin', 'gatewayAdmin'] as const satisfies readonly Role[];
/** The handler also compares the kind: a device administrator restores no gateway. */
const ofEntry: Access = only('record', 'id', everyDeleter);
const oneEntry = { id: uuid({ label: 'Trash ID', required: true }) } as const;

export const trash = ownOperationsOf('trash', {
  list: get('/api/trash', {
    summary: 'List deleted records that can be restored and that you may delete, the latest first',
    request: message('hilltop.ListTrashRequest', {
      ...page,
      organizationID: int64({ label: 'Organization', help: 'Global administrators may omit it: all organizations.' }),
      recordID: text({ ...shortText, label: 'Record', help: 'Only records with this ID or EUI.' }),
    }),
    response: message('hilltop.ListTrashResponse', {
      totalCount: int64(),
      result: listOf(TrashEntry),
      days: int32({ label: 'Days', help: 'How long deleted records can be restored; 0: not at all.' }),
    }),
    access: first(
      {
        ...({ when: 'organizationID', on: 'organization', of: 'organizationID' } as const),
        allow: [...everyDeleter, 'limitedDeviceAdmin'],
      },
      { on: 'global', allow: admins },
    ),
  }),
  restore: post('/api/trash/{id}/restore', {
    summary: 'Restore a deleted record with what it contained',
    request: message('hilltop.RestoreTrashRequest', oneEntry),
    response: message('hilltop.RestoreTrashResponse', {
      restoredCount: int32({ label: 'Restored records' }),
      refusedCount: int32({ label: 'Refused records', help: 'They stay in the trash.' }),
      refused: listOf(TrashRefusal, { label: 'The first refused records' }),
      jobID: text({ label: 'Job', help: 'Restores the devices and gateways where there are many; empty otherwise.' }),
    }),
    access: ofEntry,
  }),
  delete: remove('/api/trash/{id}', {
    summary: 'Delete a record for good, before its time',
    request: message('hilltop.DeleteTrashRequest', oneEntry),
    access: ofEntry,
  }),
  getContents: get('/api/trash-contents', {
    summary: 'What is deleted with an application or organization, and how long it can be restored',
    request: message('hilltop.GetTrashContentsRequest', {
      applicationID: int64({ label: 'Application' }),
      organizationID: int64({ label: 'Organization', help: 'Without either, only the number of days is answered.' }),
    }),
    response: message('hilltop.GetTrashContentsResponse', {
      contents: listOf(TrashCount, {
        label: 'Records',
        help: 'By kind, without the application or organization itself.',
      }),
      days: int32({ label: 'Days', help: '0: it cannot be restored.' }),
    }),
    access: first(
      { when: 'applicationID', on: 'application', of: 'applicationID', allow: administrators },
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationAdmins },
      { on: 'global', allow: ['anyUser', 'anyKey'] },
    ),
  }),
});
