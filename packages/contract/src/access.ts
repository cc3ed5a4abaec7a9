/** Access rules as data of each operation, and the function that decides them for server and console. */
/**
 * What a call does: `send` changes what is sent to devices, `change` changes records. Read-only members and the access
 * level of an API key are decided by it.
 */
export type Effect = 'read' | 'send' | 'change';

export type Role =
  | 'globalAdmin'
  | 'organizationAdmin'
  | 'deviceAdmin'
  | 'gatewayAdmin'
  /** Anybody with a membership of the organization, whatever its flags. */
  | 'member'
  /** Also a member limited to applications, where the record belongs to none: the answer contains only theirs. */
  | 'limitedMember'
  /** A device administrator limited to applications, where the record belongs to none: the answer contains only theirs. */
  | 'limitedDeviceAdmin'
  /** The caller is the user the request is about. */
  | 'self'
  | 'adminKey'
  | 'organizationKey'
  /** The key of the application in question, or of any application of the organization when none is named. */
  | 'applicationKey'
  | 'anyUser'
  /** A user who must change the password or set up a second factor first. Such a user has no other role but the next. */
  | 'userSettingUp'
  /** The user the request is about, who must change the password first. */
  | 'selfSettingUp'
  | 'anyKey'
  /** No session needed. */
  | 'public';

/** The record that a case is about. The server loads the facts of the record named in the request. */
export type Subject =
  | 'global'
  /** A record of the operation's own resource, which belongs to an organization. */
  | 'record'
  | 'organization'
  | 'application'
  | 'device'
  | 'gateway'
  | 'serviceProfile'
  | 'deviceProfile'
  | 'networkServer'
  | 'multicastGroup'
  | 'user'
  | 'apiKey'
  /** The user it is about is the one that started it. */
  | 'job';

/** Conditions for everybody except global administrators and administrator keys. */
export type Need = 'canHaveGateways' | 'networkServerLink';

export interface AccessCase {
  /** The case applies when this request field (JSON path) is not empty. Without it the case always applies. */
  readonly when?: string;
  readonly on: Subject;
  /** JSON path of the subject's id in the request; absent for `global`. */
  readonly of?: string;
  readonly allow: readonly Role[];
  readonly needs?: readonly Need[];
  /** The answer has root keys: API keys need full access. */
  readonly needsFullAccess?: true;
  /** What the call changes belongs to the caller, so that read-only members may make it. */
  readonly isOwn?: true;
  /** JSON path of a user id in the request, for `self` on a subject that is not the user. */
  readonly user?: string;
  /** JSON path of the network-server id that the `networkServerLink` condition is about. */
  readonly networkServer?: string;
}

export interface Access {
  /** `first`: the first case that applies decides. `every`: all that apply must pass, or else those without `when`. */
  readonly rule: 'first' | 'every';
  readonly cases: readonly AccessCase[];
}

export interface Membership {
  readonly organizationID: string;
  readonly isAdmin: boolean;
  readonly isDeviceAdmin: boolean;
  readonly isGatewayAdmin: boolean;
  /** The member reads what a member reads; the flags above do not count. */
  readonly isReadOnly: boolean;
  /** The applications that the membership is limited to; empty: all. Only `isDeviceAdmin` counts beside a limit. */
  readonly applicationIDs: readonly string[];
}

/** What an API key may do of what its scope allows. */
export const keyAccessLevels = ['FULL', 'READ', 'READ_AND_SEND'] as const;
export type KeyAccessName = (typeof keyAccessLevels)[number];

const effectsOfKeys: Readonly<Record<KeyAccessName, readonly Effect[]>> = {
  FULL: ['read', 'send', 'change'],
  READ: ['read'],
  READ_AND_SEND: ['read', 'send'],
};

export const keyPermits = (access: KeyAccessName, effect: Effect): boolean => effectsOfKeys[access].includes(effect);

/** `CHANGE_PASSWORD`: the server generated the password. `SET_UP_SECOND_FACTOR`: a setting requires one. */
export type FirstDuty = 'CHANGE_PASSWORD' | 'SET_UP_SECOND_FACTOR';

/** The caller. */
export type Principal =
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly isAdmin: boolean;
      readonly isActive: boolean;
      /** What the server requires of this session before anything else. */
      readonly mustFirst?: FirstDuty;
      readonly memberships: readonly Membership[];
    }
  | {
      readonly kind: 'apiKey';
      readonly id: string;
      readonly access: KeyAccessName;
      readonly isAdmin: boolean;
      /** The organization of the key, or null. */
      readonly organizationID: string | null;
      /** The application of the key, or null. */
      readonly applicationID: string | null;
      /** The organization of that application, or null. */
      readonly applicationOrganizationID: string | null;
    };

/** Facts about the record of a case. A record that does not exist has no organizations. */
export interface SubjectFacts {
  /** The owner; for a network-server every organization with a service-profile on it. */
  readonly organizationIDs: readonly string[];
  /** The application of a device or multicast group, or the application itself. */
  readonly applicationID?: string;
  /** Of a profile: the applications the caller is limited to, and for whose devices he may read the profile. */
  readonly usedBy?: readonly string[];
  /** The user the request is about. */
  readonly userID?: string;
  readonly canHaveGateways?: boolean;
  /** The kind of profile that links the organization to the network-server; a service-profile takes precedence. */
  readonly networkServerLink?: 'serviceProfile' | 'deviceProfile' | 'none';
}

export type Decision = 'allowed' | 'unauthenticated' | 'forbidden';

export const admins = ['globalAdmin', 'adminKey'] as const satisfies readonly Role[];
/** Members of the organization: read access. */
export const organizationReaders = [...admins, 'member', 'organizationKey'] as const satisfies readonly Role[];
/** Like `organizationReaders`, for records of an application. */
export const applicationReaders = [...organizationReaders, 'applicationKey'] as const satisfies readonly Role[];
export const organizationAdmins = [
  ...admins,
  'organizationAdmin',
  'organizationKey',
] as const satisfies readonly Role[];
/** Administrators of an application and its integrations. */
export const administrators = [...organizationAdmins, 'applicationKey'] as const satisfies readonly Role[];
export const gatewayAdmins = [...organizationAdmins, 'gatewayAdmin'] as const satisfies readonly Role[];
export const deviceAdmins = [...organizationAdmins, 'deviceAdmin'] as const satisfies readonly Role[];
/** Like `organizationReaders`, where the answer contains only what a limited member may see. */
export const limitedReaders = [...organizationReaders, 'limitedMember'] as const satisfies readonly Role[];
export const listersOfOwn = [...admins, 'anyUser'] as const satisfies readonly Role[];

/** An access rule with one case. */
export function only(on: Subject, of: string, allow: readonly Role[], rest: Partial<AccessCase> = {}): Access {
  return { rule: 'first', cases: [{ on, of, allow, ...rest }] };
}

export function globally(...allow: readonly Role[]): Access {
  return { rule: 'first', cases: [{ on: 'global', allow }] };
}

export function first(...cases: readonly AccessCase[]): Access {
  return { rule: 'first', cases };
}

export function every(...cases: readonly AccessCase[]): Access {
  return { rule: 'every', cases };
}

/** The value at a JSON path such as `device.devEUI` of a request; undefined when a part is missing. */
export function valueAt(request: unknown, path: string): unknown {
  let value = request;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function isGiven(request: unknown, path: string): boolean {
  const value = valueAt(request, path);
  return value !== undefined && value !== null && value !== '' && value !== '0' && value !== 0 && value !== false;
}

/** The cases that must all pass for this request. */
export function casesFor(access: Access, request: unknown): readonly AccessCase[] {
  const counting = access.cases.filter((one) => one.when === undefined || isGiven(request, one.when));
  if (access.rule === 'first') return counting.slice(0, 1);
  const conditional = counting.filter((one) => one.when !== undefined);
  return conditional.length > 0 ? conditional : counting;
}

type User = Extract<Principal, { kind: 'user' }>;

function memberHas(role: Role, membership: Membership, { applicationID, usedBy = [] }: SubjectFacts): boolean {
  const { applicationIDs, isReadOnly, isAdmin, isDeviceAdmin, isGatewayAdmin } = membership;
  const isLimited = applicationIDs.length > 0;
  const isWithin = !isLimited || (applicationID !== undefined && applicationIDs.includes(applicationID));
  if (role === 'limitedMember') return true;
  if (role === 'member') return isWithin || usedBy.some((id) => applicationIDs.includes(id));
  if (isReadOnly) return false;
  if (role === 'deviceAdmin') return isWithin && isDeviceAdmin;
  if (role === 'limitedDeviceAdmin') return isLimited && isDeviceAdmin;
  if (isLimited) return false;
  return (role === 'organizationAdmin' && isAdmin) || (role === 'gatewayAdmin' && isGatewayAdmin);
}

function userHas(role: Role, user: User, subject: SubjectFacts, effect: Effect): boolean {
  if (user.mustFirst) {
    const isSelf = user.mustFirst === 'CHANGE_PASSWORD' && subject.userID === user.id;
    return role === 'userSettingUp' || (role === 'selfSettingUp' && isSelf);
  }
  if (role === 'anyUser') return true;
  if (role === 'globalAdmin') return user.isAdmin;
  const memberships = user.memberships.filter(({ organizationID }) => subject.organizationIDs.includes(organizationID));
  const permitting = memberships.filter(({ isReadOnly }) => effect === 'read' || !isReadOnly);
  if (role === 'self') return subject.userID === user.id && permitting.length === memberships.length;
  return permitting.some((membership) => memberHas(role, membership, subject));
}

function keyHas(role: Role, key: Extract<Principal, { kind: 'apiKey' }>, subject: SubjectFacts): boolean {
  if (role === 'anyKey') return true;
  if (role === 'adminKey') return key.isAdmin;
  if (role === 'organizationKey')
    return key.organizationID !== null && subject.organizationIDs.includes(key.organizationID);
  if (role !== 'applicationKey' || key.applicationID === null) return false;
  if (subject.applicationID !== undefined) return subject.applicationID === key.applicationID;
  return key.applicationOrganizationID !== null && subject.organizationIDs.includes(key.applicationOrganizationID);
}

function meets(need: Need, principal: Principal, subject: SubjectFacts): boolean {
  if (principal.isAdmin) return true;
  if (need === 'canHaveGateways') return subject.canHaveGateways === true;
  const linkedBy = subject.networkServerLink;
  return linkedBy === 'serviceProfile' || (linkedBy === 'deviceProfile' && principal.kind === 'user');
}

/**
 * Decides one case of a call with this effect. A missing session and a deactivated user are `unauthenticated` (code 16), a missing right is
 * `forbidden` (code 7). The check precedes the read of the record: a record that does not exist is forbidden to all
 * callers whose role needs an organization.
 */
export function decide(principal: Principal | null, effect: Effect, one: AccessCase, subject: SubjectFacts): Decision {
  if (one.allow.includes('public')) return 'allowed';
  if (principal === null || (principal.kind === 'user' && !principal.isActive)) return 'unauthenticated';
  if (principal.kind === 'apiKey' && !keyPermits(principal.access, one.needsFullAccess ? 'change' : effect))
    return 'forbidden';
  const effectOnOthers = one.isOwn ? 'read' : effect;
  const hasRole = one.allow.some((role) =>
    principal.kind === 'user' ? userHas(role, principal, subject, effectOnOthers) : keyHas(role, principal, subject),
  );
  const meetsAll = (one.needs ?? []).every((need) => meets(need, principal, subject));
  return hasRole && meetsAll ? 'allowed' : 'forbidden';
}
