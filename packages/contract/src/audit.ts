/** The audit log: who changed what, and from what to what. Ours: the recorded API has nothing of the kind. */
import { admins, first, organizationAdmins } from './access.ts';
import { auditSubjectKinds, auditSubjects } from './audit-subjects.ts';
import { get, ownOperationsOf } from './operation.ts';
import { bool, count, enumeration, int64, listOf, message, oneOf, text, timestamp, type ValueOf } from './wire.ts';

/** `COMMAND`: the command line of the server. `NOBODY`: a caller who is not known, such as at a refused sign-in. */
export const auditActorKinds = ['NOBODY', 'USER', 'API_KEY', 'COMMAND', 'CERTIFICATE'] as const;
export type AuditActorKind = (typeof auditActorKinds)[number];

export const auditSecretChanges = ['NONE', 'SET', 'CHANGED', 'REMOVED'] as const;
export type AuditSecretChange = (typeof auditSecretChanges)[number];

/** What an entry stores at most; what is longer is cut and marked. */
export const auditLimits = { changes: 64, valueCharacters: 1000, bytes: 16_000, nameCharacters: 200 } as const;

const AuditChange = message('hilltop.AuditChange', {
  field: text({ label: 'Field', help: 'As in the request, members joined with a dot.' }),
  before: text({ label: 'Before', help: 'Empty: it was not set. Secrets are always empty.' }),
  after: text({ label: 'After', help: 'Empty: it is not set.' }),
  secret: oneOf(enumeration('hilltop.AuditSecretChange', auditSecretChanges), { label: 'Secret' }),
  isCut: bool({ label: 'Shortened' }),
});
export type AuditChange = ValueOf<typeof AuditChange>;

export const AuditEntry = message('hilltop.AuditEntry', {
  id: int64({ label: 'ID' }),
  at: timestamp({ label: 'Time' }),
  actorKind: oneOf(enumeration('hilltop.AuditActorKind', auditActorKinds), { label: 'Kind of caller' }),
  actorID: text({ label: 'Caller ID' }),
  actorName: text({ label: 'Person', help: 'An e-mail address or the name of an API key.' }),
  address: text({ label: 'Address' }),
  organizationID: int64({ label: 'Organization', help: '0: the installation.' }),
  operation: text({ label: 'Operation', help: 'Such as device.update.' }),
  subjectKind: text({ label: 'Kind', help: `One of ${auditSubjectKinds.join(', ')}.` }),
  subjectID: text({ label: 'Subject', help: 'Its ID or EUI.' }),
  subjectName: text({ label: 'Name' }),
  changes: listOf(AuditChange, { label: 'Changes' }),
  outcome: text({ label: 'Outcome', help: 'OK, or the status of the error.' }),
  requestID: text({ label: 'Request ID', help: 'As in the log of the server.' }),
  jobID: text({ label: 'Job' }),
  isCut: bool({ label: 'Shortened', help: 'There were more changes.' }),
});
export type AuditEntry = ValueOf<typeof AuditEntry>;

export const audit = ownOperationsOf('audit', {
  list: get('/api/audit', {
    summary: 'List who changed what, the newest first',
    request: message('hilltop.ListAuditRequest', {
      organizationID: int64({ label: 'Organization', help: 'Global administrators may omit it: all.' }),
      actor: text({ label: 'Person', help: 'An e-mail address or the name of an API key.', maxLength: 200 }),
      operation: text({ label: 'Operation', help: 'Such as device.update.', maxLength: 100 }),
      subject: text({
        label: 'Subject',
        help: `Kind and ID, such as device/0102030405060708. Kinds: ${Object.keys(auditSubjects).join(', ')}.`,
        maxLength: 200,
        pattern: `^(${auditSubjectKinds.join('|')})/.*$`,
        message: 'Must be a kind and an ID, such as device/0102030405060708.',
      }),
      changesOnly: bool({ label: 'Changes only', help: 'Without reads, sign-ins and what was refused.' }),
      start: timestamp({ label: 'From' }),
      end: timestamp({ label: 'To', notBefore: 'start' }),
      before: text({
        label: 'Cursor',
        help: 'Only entries before this one: older of the page before.',
        maxLength: 31,
        pattern: '^\\d{1,15}-\\d{1,15}$',
        message: 'Must be the value of older.',
      }),
      limit: count({ label: 'Rows', help: 'At most 500; 0 stands for 50.', min: 0, clamp: 500 }),
    }),
    response: message('hilltop.ListAuditResponse', {
      result: listOf(AuditEntry),
      older: text({ label: 'Cursor of older entries', help: 'For before; empty: there are none.' }),
      days: count({ label: 'Days', help: 'How long entries are stored; 0: none are written.' }),
    }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationAdmins },
      { on: 'global', allow: admins },
    ),
  }),
});
