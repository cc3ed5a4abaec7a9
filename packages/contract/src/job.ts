/** Jobs: one change of many devices or gateways. Not in the recorded API, which changes one record at a time. */
import { admins, every, only, organizationAdmins, organizationReaders } from './access.ts';
import { type JobKindName, jobKinds, jobStates, mostJobIDs } from './job-kinds.ts';
import { get, ownOperationsOf, page, post } from './operation.ts';
import { shortText, tagLimits } from './rules.ts';
import {
  bool,
  count,
  enumeration,
  eui64,
  int64,
  list,
  listOf,
  map,
  message,
  needed,
  oneOf,
  optional,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

const value = text({ maxLength: 4096 });
const name = text({ maxLength: tagLimits.maxNameLength });

/** What a job sets. Each kind uses the members that `jobKinds` lists. */
export const JobAction = message('hilltop.JobAction', {
  applicationID: int64({ label: 'Application' }),
  deviceProfileID: uuid({ label: 'Device-profile' }),
  deviceProfileIDs: map('text', uuid(), {
    label: 'Device-profiles',
    help: 'For a move to another organization: the new device-profile for each present one. Without an entry, the profile of the same name and network-server is used.',
    maxEntries: 1000,
    maxNameLength: 36,
  }),
  multicastGroupID: uuid({ label: 'Multicast-group' }),
  gatewayProfileID: uuid({ label: 'Gateway-profile', help: 'Empty: none.' }),
  serviceProfileID: uuid({ label: 'Service-profile', help: 'Empty: none.' }),
  set: map('text', value, { ...tagLimits, label: 'Set', help: 'Names with their new values.' }),
  remove: list(name, { label: 'Remove', help: 'Names to remove.', maxEntries: tagLimits.maxEntries }),
  rename: map('text', name, {
    ...tagLimits,
    label: 'Rename',
    help: 'Old names with their new names. A record that has the new name already is refused.',
  }),
});
export type JobAction = ValueOf<typeof JobAction>;

/** A request without a kind has `NONE`, which is refused. */
const kindNames = ['NONE', ...(Object.keys(jobKinds) as JobKindName[])] as const;
const JobKind = enumeration('hilltop.JobKind', kindNames);

export const JobSelection = message('hilltop.JobSelection', {
  ids: list(eui64(), {
    label: 'IDs',
    help: 'DevEUIs or gateway IDs. Leave empty to use the search.',
    maxEntries: mostJobIDs,
  }),
  applicationID: int64({ label: 'Application', help: 'Only devices of this application; 0: of the organization.' }),
  search: text({ ...shortText, label: 'Search' }),
  filter: list(text({ maxLength: 1024 }), { label: 'Filter', help: 'As of the list.', maxEntries: 20 }),
  except: list(eui64(), { label: 'Except', help: 'IDs that match and are left out.', maxEntries: mostJobIDs }),
  all: bool({ label: 'All', help: 'Must be true when neither ids nor anything that narrows is given.' }),
});
export type JobSelection = ValueOf<typeof JobSelection>;

const JobState = enumeration('hilltop.JobState', jobStates);

const jobID = uuid({ label: 'Job', required: true });

export const Job = message('hilltop.Job', {
  id: uuid({ label: 'Job' }),
  organizationID: int64({ label: 'Organization ID', help: '0 for jobs of the whole installation.' }),
  kind: oneOf(JobKind, { label: 'Kind' }),
  undoOf: text({ label: 'Undoes', help: 'The job that this one undoes; empty for others.' }),
  target: text({ label: 'Target', help: 'The name of what the job sets, such as the application it moves to.' }),
  action: optional(JobAction, { label: 'Action' }),
  state: oneOf(JobState, { label: 'State' }),
  problem: text({ label: 'Problem', help: 'Why the job is paused or was stopped.' }),
  isPrepared: bool({ label: 'Prepared', help: 'The records are known; before, the total is 0.' }),
  total: count({ label: 'Records' }),
  done: count({ label: 'Done' }),
  refused: count({ label: 'Refused' }),
  failed: count({ label: 'Failed' }),
  createdBy: text({ label: 'Started by' }),
  createdAt: timestamp({ label: 'Created' }),
  startedAt: timestamp({ label: 'Started' }),
  endedAt: timestamp({ label: 'Ended' }),
  undoUntil: timestamp({ label: 'Undo until', help: 'Unset when the job cannot be undone.' }),
  undoneBy: text({ label: 'Undone by', help: 'The job that undoes this one.' }),
});
export type Job = ValueOf<typeof Job>;

const outcomes = ['WAITING', 'DONE', 'REFUSED', 'FAILED'] as const;
const JobOutcome = enumeration('hilltop.JobOutcome', outcomes);
export type JobOutcomeName = (typeof outcomes)[number];

const subjectFields = {
  subject: text({ label: 'ID', help: 'DevEUI or gateway ID.' }),
  name: text({ label: 'Name' }),
} as const;

export const JobRow = message('hilltop.JobRow', {
  position: uint32({ label: 'Position' }),
  ...subjectFields,
  outcome: oneOf(JobOutcome, { label: 'Outcome' }),
  reason: text({ label: 'Reason', help: 'The reason of the error.' }),
  message: text({ label: 'Message' }),
  organizationID: int64({ label: 'Organization', help: 'Of the device or gateway now; 0 when it does not exist.' }),
  applicationID: int64({ label: 'Application', help: 'Of the device now; 0 when it does not exist.' }),
});
export type JobRow = ValueOf<typeof JobRow>;

export const JobRefusal = message('hilltop.JobRefusal', {
  reason: text({ label: 'Reason' }),
  message: text({ label: 'Message', help: 'Of the first record.' }),
  count: count({ label: 'Records' }),
  sample: listOf(message('hilltop.JobSubject', subjectFields), { label: 'Examples', help: 'The first 20.' }),
});
export type JobRefusal = ValueOf<typeof JobRefusal>;

export const CreateJobRequest = message('hilltop.CreateJobRequest', {
  organizationID: int64({ label: 'Organization', required: true }),
  kind: oneOf(JobKind, { label: 'Kind' }),
  action: optional(JobAction),
  selection: needed(JobSelection),
  validateOnly: bool({ label: 'Rehearse only', help: 'Changes nothing, and reports what would be refused.' }),
  requestID: text({
    label: 'Request ID',
    help: 'A second call with this ID returns the job of the first.',
    maxLength: 64,
  }),
});

const oneJob = { id: jobID } as const;
const changers = [...organizationAdmins, 'self'] as const;

export const job = ownOperationsOf('job', {
  list: get('/api/jobs', {
    summary: 'List jobs, the newest first',
    request: message('hilltop.ListJobsRequest', {
      ...page,
      organizationID: int64(),
      unfinished: bool({ label: 'Unfinished', help: 'Only jobs that wait, run or are paused.' }),
    }),
    response: message('hilltop.ListJobsResponse', { totalCount: int64(), result: listOf(Job) }),
    access: every(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: admins },
    ),
  }),
  create: post('/api/jobs', {
    summary: 'Change many devices or gateways; each one needs the right of the operation for one',
    request: CreateJobRequest,
    response: message('hilltop.CreateJobResponse', {
      job: optional(Job, { help: 'Unset after a rehearsal.' }),
      count: count({ label: 'Records', help: 'Of a rehearsal: all that were selected.' }),
      acceptedCount: count({ label: 'Accepted', help: 'Of a rehearsal.' }),
      refused: listOf(JobRefusal, { label: 'Refused', help: 'Of a rehearsal: the reasons, the most frequent first.' }),
    }),
    access: only('organization', 'organizationID', organizationReaders),
  }),
  get: get('/api/jobs/{id}', {
    summary: 'Get a job with its progress',
    request: message('hilltop.GetJobRequest', oneJob),
    response: message('hilltop.GetJobResponse', { job: needed(Job) }),
    access: only('job', 'id', organizationReaders),
  }),
  listRows: get('/api/jobs/{id}/rows', {
    summary: 'List the records of a job with their outcome',
    request: message('hilltop.ListJobRowsRequest', {
      ...oneJob,
      ...page,
      outcome: text({ label: 'Outcome', help: 'Only records of this outcome.', values: outcomes }),
    }),
    response: message('hilltop.ListJobRowsResponse', { totalCount: int64(), result: listOf(JobRow) }),
    access: only('job', 'id', organizationReaders),
  }),
  stop: post('/api/jobs/{id}/stop', {
    summary: 'Stop a job; what is done stays done',
    request: message('hilltop.StopJobRequest', oneJob),
    access: only('job', 'id', changers),
  }),
  resume: post('/api/jobs/{id}/resume', {
    summary: 'Continue a paused job',
    request: message('hilltop.ResumeJobRequest', oneJob),
    access: only('job', 'id', changers),
  }),
  undo: post('/api/jobs/{id}/undo', {
    summary: 'Put back what a job changed, as a new job',
    request: message('hilltop.UndoJobRequest', oneJob),
    response: message('hilltop.UndoJobResponse', { job: needed(Job) }),
    access: only('job', 'id', changers),
  }),
});
