/** What jobs do. A file of its own, so that the console loads no operations with it. */

/** The most records of a job. */
export const mostJobRows = 100_000;
/** The most ids of a request: its body has 1 MiB at most. */
export const mostJobIDs = 40_000;
/** Undo is offered for this long. */
export const undoDays = 7;

/** The members of `JobAction`. */
type JobActionMember =
  | 'applicationID'
  | 'deviceProfileID'
  | 'deviceProfileIDs'
  | 'multicastGroupID'
  | 'gatewayProfileID'
  | 'serviceProfileID'
  | 'set'
  | 'remove'
  | 'rename';

export interface JobKindFacts {
  /** What a job of this kind does, as a title. */
  readonly label: string;
  /** What has happened to a record when it is done: "12 moved". */
  readonly done: string;
  readonly subject: 'device' | 'gateway' | 'record';
  /** The members of `JobAction` that it uses; `null`: other operations start it. */
  readonly uses: readonly JobActionMember[] | null;
  /** One of these members must be given. */
  readonly requires?: readonly JobActionMember[];
  readonly canUndo?: true;
}

const devices = (label: string, done: string) => ({ label, done, subject: 'device', uses: [] }) as const;
const gateways = (label: string, done: string) => ({ label, done, subject: 'gateway', uses: [] }) as const;
const uses = <const Members extends readonly JobActionMember[]>(...members: Members) =>
  ({ uses: members, requires: members }) as const;
const canUndo = { canUndo: true } as const;

export const jobKinds = {
  ENABLE_DEVICES: { ...devices('Enable devices', 'enabled'), ...canUndo },
  DISABLE_DEVICES: { ...devices('Disable devices', 'disabled'), ...canUndo },
  SET_DEVICE_PROFILE: { ...devices('Change device-profile', 'changed'), ...uses('deviceProfileID'), ...canUndo },
  CHANGE_DEVICE_TAGS: { ...devices('Change tags of devices', 'changed'), ...uses('set', 'remove', 'rename') },
  CHANGE_DEVICE_VARIABLES: { ...devices('Change variables of devices', 'changed'), ...uses('set', 'remove') },
  MOVE_DEVICES: {
    ...devices('Move devices', 'moved'),
    uses: ['applicationID', 'deviceProfileIDs'],
    requires: ['applicationID'],
    ...canUndo,
  },
  ADD_TO_MULTICAST_GROUP: { ...devices('Add to multicast-group', 'added'), ...uses('multicastGroupID') },
  REMOVE_FROM_MULTICAST_GROUP: { ...devices('Remove from multicast-group', 'removed'), ...uses('multicastGroupID') },
  CLEAR_DEVICE_NONCES: devices('Clear DevNonces', 'cleared'),
  FLUSH_DEVICE_QUEUES: devices('Flush device queues', 'flushed'),
  DELETE_DEVICES: devices('Delete devices', 'deleted'),
  SET_GATEWAY_PROFILE: { ...gateways('Change gateway-profile', 'changed'), uses: ['gatewayProfileID'] },
  SET_GATEWAY_SERVICE_PROFILE: { ...gateways('Change service-profile', 'changed'), uses: ['serviceProfileID'] },
  CHANGE_GATEWAY_TAGS: { ...gateways('Change tags of gateways', 'changed'), ...uses('set', 'remove', 'rename') },
  DELETE_GATEWAYS: gateways('Delete gateways', 'deleted'),
  RESTORE_TRASH: { label: 'Restore from the trash', done: 'restored', subject: 'record', uses: null },
  IMPORT_DEVICES: { ...devices('Import devices', 'imported'), uses: null, ...canUndo },
  IMPORT_GATEWAYS: { ...gateways('Import gateways', 'imported'), uses: null, ...canUndo },
} as const satisfies Record<string, JobKindFacts>;
export type JobKindName = keyof typeof jobKinds;

export function jobKindFacts(kind: JobKindName): JobKindFacts {
  return jobKinds[kind];
}

export const jobStates = ['WAITING', 'RUNNING', 'PAUSED', 'STOPPED', 'DONE'] as const;
export type JobStateName = (typeof jobStates)[number];
