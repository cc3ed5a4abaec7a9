/** What the audit log writes about each operation: the subject, and how its record is read. */
import { casesFor } from './access.ts';
import { type AuditSubjectKind, auditSubjects } from './audit-subjects.ts';
import { type Operation, pathParameters, routePath } from './operation.ts';
import { allOperations } from './operations.ts';

export interface AuditedSubject {
  readonly kind: AuditSubjectKind;
  /** Where the id is: the caller itself, or a JSON path in request or response. */
  readonly in: 'request' | 'response' | 'caller' | 'nowhere';
  readonly of: string;
}

const inRequest = (kind: AuditSubjectKind, of: string): AuditedSubject => ({ kind, in: 'request', of });
const inResponse = (kind: AuditSubjectKind, of: string): AuditedSubject => ({ kind, in: 'response', of });
const caller: AuditedSubject = { kind: 'user', in: 'caller', of: '' };
const installation: AuditedSubject = { kind: 'installation', in: 'nowhere', of: '' };

/** Subjects that follow neither from the access rule nor from the path. */
const subjects: Readonly<Record<string, AuditedSubject>> = {
  'internal.createAPIKey': inResponse('apiKey', 'id'),
  'firstSteps.makeProfiles': inResponse('organization', 'organizationID'),
  'firstSteps.addDevice': inRequest('device', 'devEUI'),
  'radio.create': inResponse('networkServer', 'id'),
  'library.install': installation,
  'library.upload': installation,
  'library.publish': inResponse('model', 'id'),
  'library.withdraw': inRequest('model', 'id'),
  'library.updateProfiles': inRequest('model', 'modelID'),
  'library.createProfile': inResponse('deviceProfile', 'id'),
  'attention.snooze': inRequest('condition', 'id'),
  'gateway.create': inRequest('gateway', 'gateway.id'),
  'device.create': inRequest('device', 'device.devEUI'),
  'job.create': inResponse('job', 'job.id'),
  'alertReceiver.confirm': inResponse('alertReceiver', 'address'),
  'alertReceiver.unsubscribe': inResponse('alertReceiver', 'address'),
  'invitation.create': inResponse('invitation', 'id'),
  'invitation.renew': inRequest('invitation', 'id'),
  'invitation.delete': inRequest('invitation', 'id'),
  'invitation.accept': inResponse('organization', 'organizationID'),
  'mail.test': installation,
  'organization.addUser': inResponse('user', 'userID'),
  'organization.updateUser': inRequest('user', 'organizationUser.userID'),
  'organization.deleteUser': inRequest('user', 'userID'),
};

/** What a read includes for the values before a change. */
const includes: Readonly<Record<string, string>> = { 'organization.getUser': 'limits' };

export const includeBefore = ({ key }: Operation): string | undefined => includes[key];

/** Operations whose requests do not say what they make. */
const changesInResponse: readonly string[] = ['firstSteps.makeProfiles'];

export const hasChangesInResponse = ({ key }: Operation): boolean => changesInResponse.includes(key);

/** Reads whose answers have secrets. */
const secretReads: readonly string[] = ['device.getKeys', 'device.getActivation'];

/** Operations with effect `change` that have no entry, and why. */
export const notAudited: Readonly<Record<string, string>> = {
  'invitation.register': 'Its handler writes the entry: only it knows the new user, who is the actor.',
};

/** Whether a call has an entry. */
export function isAudited({ key, effect }: Operation, request: unknown): boolean {
  if (secretReads.includes(key)) return true;
  // A rehearsal changes nothing.
  const isRehearsal = (request as { validateOnly?: boolean }).validateOnly === true;
  return effect === 'change' && !isRehearsal && !(key in notAudited);
}

/** The subject of a call; undefined when it is not declared. */
export function auditedSubject(operation: Operation, request: unknown): AuditedSubject | undefined {
  const declared = subjects[operation.key];
  if (declared) return declared;
  // The account of the caller.
  if (operation.path.startsWith('/api/account')) return caller;
  const [resource = ''] = operation.key.split('.');
  const own = resource in auditSubjects ? (resource as AuditSubjectKind) : undefined;
  const [first] = pathParameters(operation);
  if (!first) return own && 'id' in operation.response.fields ? inResponse(own, 'id') : undefined;
  const one = casesFor(operation.access, request).find(({ on, of }) => on !== 'global' && of !== undefined);
  if (!one) return own && inRequest(own, first.path.join('.'));
  const kind = one.on === 'record' ? own : (one.on as AuditSubjectKind);
  return kind && inRequest(kind, one.of!);
}

const readOperations = new Map(
  allOperations.flatMap((one) =>
    one.method === 'GET' && !one.stream && !('totalCount' in one.response.fields) ? [[routePath(one), one]] : [],
  ),
);

/** What these create did not exist before: otherwise they refuse. */
export const isCreation = ({ key }: Operation): boolean => key.includes('.create');

/** The operation that reads what this one changes: the GET of the same address. Lists are none. */
export function readOperationOf(operation: Operation): Operation | undefined {
  const hasBefore = operation.path.includes('{') && !isCreation(operation);
  return hasBefore ? readOperations.get(routePath(operation)) : undefined;
}
