/** Every status of the API with its number and HTTP status. Codes are stable, sentences are not. */
export const statuses = {
  OK: { code: 0, http: 200 },
  Canceled: { code: 1, http: 408 },
  Unknown: { code: 2, http: 500 },
  InvalidArgument: { code: 3, http: 400 },
  DeadlineExceeded: { code: 4, http: 504 },
  NotFound: { code: 5, http: 404 },
  AlreadyExists: { code: 6, http: 409 },
  PermissionDenied: { code: 7, http: 403 },
  ResourceExhausted: { code: 8, http: 429 },
  FailedPrecondition: { code: 9, http: 400 },
  Aborted: { code: 10, http: 409 },
  OutOfRange: { code: 11, http: 400 },
  Unimplemented: { code: 12, http: 501 },
  Internal: { code: 13, http: 500 },
  Unavailable: { code: 14, http: 503 },
  DataLoss: { code: 15, http: 500 },
  Unauthenticated: { code: 16, http: 401 },
} as const;

export type StatusName = keyof typeof statuses;

/**
 * Every reason of an error, with its status and its sentence. A reason and the names of its parameters are stable:
 * translations and programs depend on them. Sentences are not stable; they state what happened and what to do next,
 * without secrets.
 */
export const reasons = {
  // Records
  NOT_FOUND: ['NotFound', 'There is no {resource} {id}.'],
  REFERENCE_GONE: ['NotFound', 'A record that this refers to no longer exists. Reload the page.'],
  ALREADY_EXISTS: ['AlreadyExists', 'This {resource} exists already.'],
  TAKEN: ['AlreadyExists', 'Another {resource} has this {called} already.'],
  IN_USE: ['FailedPrecondition', 'The {resource} is in use by {by}. Remove or change those first.'],
  COLLISION: ['Aborted', 'Other changes to the same record are in progress. Try again.'],

  // Requests
  INVALID_FIELDS: ['InvalidArgument', '{problems}'],
  MISSING: ['InvalidArgument', 'The {what} is missing.'],
  NOT_CHOSEN: ['InvalidArgument', 'The {resource} is missing. Choose one.'],
  NOT_JSON: ['InvalidArgument', 'The request is not valid JSON: {problem}.'],
  NOT_PROTOBUF: ['InvalidArgument', '{problem}'],
  NO_MESSAGE: ['InvalidArgument', 'The call must contain exactly one complete message.'],
  MESSAGE_TOO_LARGE: ['ResourceExhausted', 'The message has {bytes} bytes. The limit is {limit}.'],
  TOO_MUCH_AT_ONCE: ['ResourceExhausted', 'Too many concurrent calls from this address. Wait until some of them end.'],
  TOO_MANY_STREAMS: ['ResourceExhausted', 'Too many open streams from this address. Close some of them first.'],
  COMPRESSED: ['Unimplemented', 'Send messages uncompressed, or compressed by gzip with grpc-encoding: gzip.'],
  NOT_GZIP: ['InvalidArgument', 'The message is not compressed by gzip, although grpc-encoding is gzip.'],
  UNPACKED_TOO_LARGE: ['ResourceExhausted', 'The decompressed message exceeds {limit} bytes. Send a smaller message.'],
  MALFORMED_DEADLINE: ['Internal', 'The deadline is invalid. Send grpc-timeout as 1 to 8 digits and a unit: 5S, 200m.'],
  DEADLINE: ['DeadlineExceeded', 'The call exceeded its deadline of {ms} ms.'],
  NOT_HTTP: ['InvalidArgument', 'The request is not valid HTTP/1.1.'],
  TWO_HOSTS: ['InvalidArgument', 'The request names more than one host. Send one Host header.'],
  NO_HOST: ['InvalidArgument', 'The request names no host. Send a Host header.'],
  BODY_TOO_LARGE: ['InvalidArgument', 'The request is larger than {limit}.'],
  HEADERS_TOO_LARGE: [
    'InvalidArgument',
    'The address and headers of the request are longer than {limit}. Shorten them.',
  ],
  WRONG_LENGTH: ['InvalidArgument', 'The length of the request differs from its Content-Length.'],
  TOO_SLOW: ['Canceled', 'The request did not arrive in time. Send it again.'],
  TOO_MANY: ['ResourceExhausted', 'Too many {what}. Try again in {seconds} s.'],
  TOO_MANY_INTERVALS: ['InvalidArgument', 'The period has more than {most} intervals. Choose a longer interval.'],

  // Users
  UNAUTHENTICATED: ['Unauthenticated', 'The session is invalid or has ended. Sign in again.'],
  PERMISSION_DENIED: ['PermissionDenied', 'You have no permission for this.'],
  FOREIGN_PAGE: ['PermissionDenied', 'The origin of this page differs from the address of the server.'],
  INACTIVE: ['Unauthenticated', 'Your account is not active. Ask a global admin.'],
  COMMON_PASSWORD: [
    'InvalidArgument',
    'This password is among the most common ones. Choose another, such as three words.',
  ],
  GUESSABLE_PASSWORD: ['InvalidArgument', 'This password is easy to guess. Choose another, such as three words.'],
  OLD_PASSWORD_NEEDED: [
    'InvalidArgument',
    'Enter your current password too, or sign in again and change the password within five minutes.',
  ],
  OLD_PASSWORD_WRONG: ['InvalidArgument', 'This is not your current password.'],
  SECOND_FACTOR_NEEDED: ['FailedPrecondition', 'This account needs a second step. Use an API key for scripts.'],
  SECOND_FACTOR_REQUIRED: [
    'PermissionDenied',
    'Your account needs a second factor. Set it up on the page Account, Security.',
  ],
  SECOND_FACTOR_WRONG: [
    'InvalidArgument',
    'This code is wrong or too old. Enter the code that the app shows now; if it is refused again, check the clock of the phone.',
  ],
  SECOND_FACTOR_USED: ['InvalidArgument', 'This code was used already. Wait for the next one.'],
  RECOVERY_CODE_WRONG: ['InvalidArgument', 'This recovery code is wrong or was used already. Enter another one.'],
  SECOND_FACTOR_ON: ['FailedPrecondition', 'The second factor is on already. Turn it off first.'],
  SECOND_FACTOR_OFF: ['FailedPrecondition', 'This user has no second factor.'],
  SECOND_FACTOR_NOT_STARTED: ['FailedPrecondition', 'No second factor waits for its first code. Set it up again.'],
  SECOND_FACTOR_OF_PROVIDER: [
    'FailedPrecondition',
    'This account has no password. The provider of single sign-on asks for a second factor.',
  ],
  OWN_SECOND_FACTOR: ['InvalidArgument', 'Turn off your own second factor on the page Account, Security.'],
  WRONG_PASSWORD: ['Unauthenticated', 'The e-mail address or the password is wrong.'],
  LAST_ADMIN: ['FailedPrecondition', 'This is the last active global admin. Give another user this role first.'],
  OWN_ACCOUNT: ['InvalidArgument', 'You cannot delete your own account.'],
  OWN_MEMBERSHIP: ['InvalidArgument', 'You cannot remove yourself from an organization.'],
  READ_ONLY_WITH_ROLE: [
    'InvalidArgument',
    'A read-only user has no other role. Remove the other roles, or the read-only one.',
  ],
  LIMITED_WITH_ROLE: [
    'InvalidArgument',
    'A user limited to applications cannot be organization admin or gateway admin. Remove the role or the limit.',
  ],
  NOT_OF_ORGANIZATION: ['InvalidArgument', 'Application {id} does not belong to this organization. Choose others.'],
  NO_MEMBER: ['NotFound', 'User {userID} is not a user of this organization.'],
  MEMBER_ALREADY: ['AlreadyExists', '{email} is a user of this organization already.'],
  NO_SUCH_USER: ['NotFound', 'There is no user with the e-mail address {email}. A global admin must create it first.'],
  API_KEY_SCOPE: [
    'InvalidArgument',
    'An API key must be for exactly one of: everything, an organization, an application.',
  ],
  API_KEY_EXPIRED: ['Unauthenticated', 'This API key expired on {date}. Create a new one.'],
  API_KEY_REPLACED: [
    'FailedPrecondition',
    'This API key was replaced and ends within a day. Use the new key, or create another one.',
  ],
  API_KEY_EXPIRY_PAST: ['InvalidArgument', 'This time is in the past. Choose a later time, or none.'],

  // Invitations
  INVITATION_UNKNOWN: [
    'NotFound',
    'This invitation link is not valid: it is incomplete, or a newer one replaced it. Ask for a new link.',
  ],
  INVITATION_EXPIRED: ['FailedPrecondition', 'This invitation expired after {days} days. Ask for a new link.'],
  INVITATION_USED: ['FailedPrecondition', 'This invitation was accepted already. Sign in with your account.'],
  INVITATION_REVOKED: [
    'FailedPrecondition',
    'This invitation was revoked. Ask an organization admin if you need another one.',
  ],
  INVITATION_INVITER: [
    'FailedPrecondition',
    'The user who invited you is no longer an organization admin. Ask another organization admin for an invitation.',
  ],
  INVITATION_OTHER_ADDRESS: [
    'FailedPrecondition',
    'This invitation is for {email}. Sign in with that account, or ask for an invitation to your address.',
  ],
  INVITATION_ACCOUNT_EXISTS: [
    'AlreadyExists',
    'There is an account with the address {email} already. Sign in with it to accept the invitation.',
  ],
  ADDRESS_UNPROVEN: [
    'FailedPrecondition',
    'Nobody has proved to own {email}. Invite this address by mail, or ask a global admin to add the user.',
  ],
  INVITATION_SIGN_ON: [
    'FailedPrecondition',
    'This server has no passwords. Sign in with the sign-in provider to accept the invitation.',
  ],
  INVITATION_OPEN: ['AlreadyExists', '{email} is invited already. Send that invitation again, or revoke it first.'],
  INVITATION_NO_PUBLIC_URL: [
    'FailedPrecondition',
    'A mail needs the address of this server (HILLTOP_PUBLIC_URL). Create a link and hand it over instead.',
  ],
  TOO_MANY_INVITATIONS: ['FailedPrecondition', 'The organization has {most} open invitations. Revoke one first.'],

  // Single sign-on
  SIGN_ON_OFF: ['FailedPrecondition', 'Single sign-on is not set up on this server.'],
  SIGN_ON_UNREACHABLE: [
    'Unavailable',
    'The sign-in provider cannot be reached. Start the sign-in again in a moment, or ask an administrator.',
  ],
  SIGN_ON_MISFIT: [
    'Internal',
    'The settings of the sign-in provider and of this server do not match. Ask an administrator to check the log.',
  ],
  SIGN_ON_REFUSED: ['InvalidArgument', 'The sign-in provider no longer accepts this sign-in. Start the sign-in again.'],
  SIGN_ON_EXPIRED: ['InvalidArgument', 'This sign-in took longer than five minutes. Start the sign-in again.'],
  SIGN_ON_FOREIGN: ['InvalidArgument', 'This sign-in was not started in this browser. Start the sign-in again.'],
  SIGN_ON_ELSEWHERE: [
    'InvalidArgument',
    'This sign-in was started in another browser or at another address of this server. Start the sign-in again.',
  ],
  SIGN_ON_USED: ['InvalidArgument', 'This sign-in was already completed. Start the sign-in again.'],
  SIGN_ON_NO_EMAIL: [
    'FailedPrecondition',
    'The sign-in provider does not provide your e-mail address. Ask an administrator.',
  ],
  SIGN_ON_EMAIL_UNVERIFIED: [
    'FailedPrecondition',
    'Your e-mail address is not verified. Verify it at the sign-in provider, then try again.',
  ],
  SIGN_ON_EMAIL_TAKEN: ['AlreadyExists', 'Another user has the e-mail address {email}. Ask an administrator.'],
  SIGN_ON_FOREIGN_ACCOUNT: [
    'AlreadyExists',
    'The account {email} belongs to another user at the sign-in provider. Ask an administrator.',
  ],
  SIGN_ON_NO_USER: ['NotFound', 'There is no user {email} here. Ask an administrator to add you.'],
  SIGN_ON_NOT_SET_UP: ['Internal', 'Your account could not be created. Ask an administrator, then sign in again.'],

  // Device library
  FILES_UNUSABLE: ['InvalidArgument', '{problem}'],
  FILES_TOO_LARGE: ['InvalidArgument', 'The files are too large to be read, or damaged. Send fewer or smaller files.'],
  FILES_BUSY: ['ResourceExhausted', 'Other files are being read. Try again in a moment.'],
  IMPORT_STARTED: ['FailedPrecondition', 'This import has been started. Create a new one.'],
  IMPORT_NO_FILE: ['FailedPrecondition', 'This import has no file yet. Send one first.'],
  IMPORT_NOT_CHECKED: ['FailedPrecondition', 'This import has no row without problems. Set its columns first.'],
  IMPORT_ROW_GONE: ['NotFound', 'This row was imported already, or its import has expired.'],
  TOO_MANY_IMPORTS: [
    'ResourceExhausted',
    '{most} imports of this organization wait. Start or delete one of them first.',
  ],
  LIBRARY_NO_ADDRESS: [
    'FailedPrecondition',
    'The setting HILLTOP_DEVICE_LIBRARY_URL is empty, so nothing is downloaded. Upload a ZIP file instead.',
  ],
  LIBRARY_NOT_DOWNLOADED: [
    'FailedPrecondition',
    'The library could not be downloaded: {problem} Try again later, or upload a ZIP file instead.',
  ],
  LIBRARY_BUSY: ['ResourceExhausted', 'The library is being installed already. Wait until it has ended.'],
  LIBRARY_NO_REGION: [
    'FailedPrecondition',
    'The model has no profile for {region}, the region of the network-server. Choose another model or network-server.',
  ],
  LIBRARY_NOT_FROM_MODEL: ['FailedPrecondition', 'The device-profile was not created from a model of the library.'],
  LIBRARY_NO_UPDATE: ['FailedPrecondition', 'The model is no longer in the library, so there is no update.'],

  // Organizations and what they own
  LIMIT_REACHED: [
    'FailedPrecondition',
    'The organization has reached its limit of {limit}. Delete one first, or ask a global admin for more.',
  ],
  FOREIGN_PROFILE: ['InvalidArgument', 'The {profile} belongs to another organization.'],
  OTHER_SERVICE_PROFILE: [
    'InvalidArgument',
    'The new application has a different service-profile. Choose an application with the same service-profile.',
  ],
  OTHER_NETWORK_SERVER: [
    'InvalidArgument',
    'The new {profile} is on another network-server. Choose one on the same network-server.',
  ],
  PROFILE_ELSEWHERE: [
    'InvalidArgument',
    'The {profile} is on another network-server than the {resource}. Choose one on the same network-server.',
  ],

  // Trash
  RESTORE_TAKEN: [
    'AlreadyExists',
    'A {resource} with this {called} exists now{where}. Delete it or change its {called}, then restore again.',
  ],
  RESTORE_OWNER_GONE: [
    'FailedPrecondition',
    'The {owner} of this {resource} no longer exists. Restore or create the {owner} first.',
  ],
  RESTORE_NOT_AT_NETWORK: [
    'FailedPrecondition',
    'The network-server did not know this {resource} when it was deleted. Create a new {resource}.',
  ],
  RESTORE_LATER_RELEASE: [
    'FailedPrecondition',
    'A later release of the server deleted this record. Restore it with that release.',
  ],

  // Devices and gateways
  NOT_ACTIVATED: ['NotFound', 'The device {devEUI} has not been activated. It must join or be activated first.'],
  DEVICE_DISABLED: ['FailedPrecondition', 'The device {devEUI} is disabled. Enable it first.'],
  REMOTE_DEVICE: [
    'FailedPrecondition',
    'The device is on a remote network-server. Only embedded network-servers accept simulated uplinks.',
  ],
  DATA_RATE_IMPOSSIBLE: ['InvalidArgument', 'The device cannot send with DR{dr} now. Choose one of {possible}.'],
  PAYLOAD_TOO_LONG: [
    'InvalidArgument',
    'The payload has {bytes} bytes. At DR{dr} the device can send {most}. Choose a higher data-rate or fewer bytes.',
  ],
  VECTOR_NOT_JSON: ['InvalidArgument', 'The result of the test vector must be JSON: {problem}.'],
  NOT_AN_OBJECT: ['InvalidArgument', 'The decoded object must be a JSON object: {problem}.'],
  BYTES_AND_OBJECT: ['InvalidArgument', 'Send either bytes or an object, not both.'],
  QUEUE_FULL: [
    'FailedPrecondition',
    '{most} downlinks wait for this device already. Flush its queue, or wait until it has received some.',
  ],
  DOWNLINK_IN_FLIGHT: ['FailedPrecondition', 'This downlink is being sent.'],
  DOWNLINK_ENDED: ['FailedPrecondition', 'This downlink is no longer queued: it is {state}. Reload the page.'],
  DOWNLINK_EXPIRED: ['InvalidArgument', 'This time is in the past. Choose a later time, or none.'],
  ONLY_FLUSH: ['FailedPrecondition', 'This network-server can only flush the whole queue.'],
  DOWNLINK_PAYLOADS: ['InvalidArgument', 'Give the payload once: as data, hex or objectJSON.'],
  GROUP_QUEUE_FULL: [
    'FailedPrecondition',
    '{most} downlinks wait for this multicast-group already. Flush its queue, or wait until some have been sent.',
  ],
  OTHER_APPLICATION: [
    'FailedPrecondition',
    'The device {devEUI} is in another application than the multicast-group. Choose a device of the same application.',
  ],
  IN_GROUP_ALREADY: ['AlreadyExists', 'The device {devEUI} is in this multicast-group already.'],
  NOT_IN_GROUP: ['NotFound', 'The device {devEUI} is not in this multicast-group.'],
  NO_KEYS: ['NotFound', 'The device {devEUI} has no keys yet. Create them first.'],
  NOT_ENCODED: ['InvalidArgument', '{problem}'],
  NOT_DECODED: ['InvalidArgument', '{problem}'],
  INVALID_SCRIPT: ['InvalidArgument', 'The script has an error in line {line}, column {column}: {problem}.'],
  NO_CODEC_FUNCTION: ['InvalidArgument', '{problem}'],
  CODEC_RUNS_BUSY: ['ResourceExhausted', 'Many codecs run on this server already. Try again in a moment.'],
  RX2_IMPOSSIBLE: ['InvalidArgument', '{problem}'],
  NO_LOCATION: ['InvalidArgument', 'The location is missing. Give its latitude and longitude.'],
  HISTORY_BUSY: ['Unavailable', 'The history is busy. Try again.'],
  EVENT_GONE: ['NotFound', 'This event is no longer stored: events are stored for {period}.'],
  DOWNLOAD_GONE: ['NotFound', 'This link was used already or has expired. Start the download again.'],
  NO_PING: ['NotFound', 'The gateway {gatewayID} has not sent a discovery ping yet.'],

  TOO_MANY_CERTIFICATES: [
    'FailedPrecondition',
    'There are already {most} valid certificates. Revoke an unused one first.',
  ],

  // MQTT
  NO_MQTT_CERTIFICATES: [
    'Unknown',
    'This server cannot issue MQTT certificates. Set HILLTOP_MQTTS, or HILLTOP_MQTT_CLIENT_CA_CERT for an external broker.',
  ],

  // Integrations
  NO_INTEGRATION: ['NotFound', 'The {owner} has no {label} integration. Add it first.'],
  INTEGRATION_EXISTS: ['AlreadyExists', 'The {owner} has a {label} integration already. Change that one.'],
  NOT_BOTH_OWNERS: [
    'InvalidArgument',
    'An integration belongs to an application or to an organization. Send only one of applicationID and organizationID.',
  ],
  SERVICE_ENDED: [
    'FailedPrecondition',
    '{label} ended on {date} and is no longer available. Choose another integration.',
  ],
  REPLAY_RUNNING: ['FailedPrecondition', 'A replay of this integration is running. Wait for its end, or cancel it.'],

  // Jobs
  NO_JOB_KIND: ['InvalidArgument', 'The kind of the job is missing. Choose one that this call can start.'],
  JOB_REQUEST_USED: ['InvalidArgument', 'Another job was created with this requestID. Give a new one.'],
  NO_JOB_SELECTION: ['InvalidArgument', 'Nothing is selected. Give ids, something to search for, or all.'],
  TOO_MANY_JOBS: ['FailedPrecondition', '{most} jobs of the organization are unfinished. Wait, or stop some of them.'],
  JOB_ENDED: ['FailedPrecondition', 'The job has ended already. Reload the page.'],
  JOB_NOT_PAUSED: ['FailedPrecondition', 'The job is not paused. Reload the page.'],
  JOB_NOT_UNDOABLE: ['FailedPrecondition', 'The job cannot be undone (any more). Change its records instead.'],
  CHANGED_SINCE: ['FailedPrecondition', 'The record was changed since. Change it by hand if needed.'],
  TAG_TAKEN: ['FailedPrecondition', 'The record has the name {name} already. Remove it first, or choose another name.'],
  TOO_MANY_TAGS: ['FailedPrecondition', 'The record would have more than {most} names. Remove some first.'],
  NO_SAME_PROFILE: [
    'FailedPrecondition',
    'The other organization has no device-profile {name} on the same network-server. Choose one for these devices.',
  ],
  // Lists
  TOO_MANY_SELECTED: ['InvalidArgument', 'More than {most} {called} match. Narrow the selection with a filter.'],
  TOO_MANY_VIEWS: ['FailedPrecondition', 'You have {most} views of this list already. Delete one first.'],

  // Alerts
  TOO_MANY_ALERT_RULES: ['FailedPrecondition', 'The organization has {most} alert rules already. Delete one first.'],
  ALERT_NOT_FIRING: ['FailedPrecondition', 'Only an alert that fires can be acknowledged. Reload the page.'],
  MAIL_NOT_SET_UP: ['FailedPrecondition', 'Mail is not set up on this server (HILLTOP_SMTP_URL).'],
  MAIL_NO_PUBLIC_URL: [
    'FailedPrecondition',
    'An address that is not that of a member must be confirmed by a link. Set HILLTOP_PUBLIC_URL on the server first.',
  ],
  TOO_MANY_UNCONFIRMED_ADDRESSES: [
    'FailedPrecondition',
    '{most} addresses of the organization are not confirmed yet. Wait for them to be confirmed; removed ones count for a day.',
  ],
  UNSUBSCRIBE_LINK_INVALID: [
    'NotFound',
    'This link does not work. Open the link of a newer mail, or ask the organization to remove your address.',
  ],
  CONFIRMATION_INVALID: [
    'NotFound',
    'This link was used already or is older than seven days. Save the alert rule again to get a new one.',
  ],

  // Network-servers
  NETWORK_SERVER: ['Unknown', '{sentence}'],
  EMBEDDED_BY_SETTING: ['InvalidArgument', 'Add an embedded network-server with POST /api/embedded-network-servers.'],
  NOT_EMBEDDED: [
    'FailedPrecondition',
    'This is a remote network-server: its own configuration contains its radio settings.',
  ],
  EMBEDDED_ADDRESS: [
    'InvalidArgument',
    'The address of an embedded network-server cannot change, and no other network-server can have it.',
  ],

  // Import from version 3
  DRY_RUN_UNDER_WAY: ['ResourceExhausted', 'Another dry run is in progress. Try again in two minutes.'],
  DRY_RUN_TOO_LONG: [
    'DeadlineExceeded',
    'This installation is too large or too slow for a dry run in the console. Run {command}.',
  ],
  DRY_RUN_STOPPED: ['Unavailable', 'The dry run stopped: {problem}. Fix this, then try again.'],

  // The server
  UNKNOWN_SERVICE: ['Unimplemented', 'There is no service {service}.'],
  UNKNOWN_SYMBOL: ['NotFound', 'There is no symbol {name}.'],
  UNKNOWN_METHOD: ['Unimplemented', 'The service {service} has no method {method}.'],
  NOT_SERVED: ['Unimplemented', 'This server does not support this operation. Update the server.'],
  DATABASE_BUSY: ['Unavailable', 'The database does not respond or is overloaded. Try again in a moment.'],
  DISK_FULL: [
    'Unavailable',
    'The disk of the server is full: changes cannot be saved until there is free space. Reading works.',
  ],
  NOT_REACHED: ['Unavailable', 'The responsible instance of the server does not respond. Try again in a moment.'],
  STOPPING: ['Unavailable', 'The server is stopping. Try again in a moment.'],
  INTERNAL: ['Internal', 'An internal error occurred. The log of the server has the details.'],
} as const satisfies Record<string, readonly [StatusName, string]>;

export type Reason = keyof typeof reasons;

type Named<Sentence> = Sentence extends `${string}{${infer Name}}${infer Rest}` ? Name | Named<Rest> : never;
/** The parameters of a reason: the names in braces in its sentence. */
type ParametersOf<R extends Reason> = Readonly<Record<Named<(typeof reasons)[R][1]>, string | number>>;
type Metadata = Readonly<Record<string, string>>;

/** The problem of one field; `field` is the JSON path, such as `device.devEUI` or `gateway.boards[0].fpgaID`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface BadRequestDetail {
  readonly '@type': 'type.googleapis.com/google.rpc.BadRequest';
  readonly fieldViolations: readonly FieldViolation[];
}

export interface ErrorInfoDetail {
  readonly '@type': 'type.googleapis.com/google.rpc.ErrorInfo';
  readonly reason: Reason;
  readonly domain: 'hilltop';
  readonly metadata: Metadata;
}

type Details = readonly (BadRequestDetail | ErrorInfoDetail)[];

/** The body of every failed unary call. */
export interface ErrorBody {
  readonly error: string;
  readonly code: number;
  readonly message: string;
  readonly details: Details;
}

/** What a stream sends instead of a result when it fails. */
export interface StreamErrorBody {
  readonly error: {
    readonly grpcCode: number;
    readonly httpCode: number;
    readonly message: string;
    readonly httpStatus: string;
    readonly details: Details;
  };
}

const longestQuote = 100;

/** A value of a caller, shortened for a sentence. */
export function shortened(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote).toWellFormed()}…`;
}

interface Circumstances {
  /** A status other than the usual one of the reason. */
  readonly status?: StatusName;
  readonly fieldViolations?: readonly FieldViolation[];
}

/** A refusal for the caller. Use `refusal` and its short forms below. */
export class ApiError<R extends Reason = Reason> extends Error {
  readonly reason: R;
  readonly metadata: Metadata;
  readonly status: StatusName;
  readonly fieldViolations: readonly FieldViolation[];

  constructor(reason: R, metadata: ParametersOf<R>, { status, fieldViolations = [] }: Circumstances = {}) {
    const [usual, sentence] = reasons[reason];
    const given = Object.entries<string | number>(metadata).map(([name, value]) => [name, String(value)] as const);
    const texts: Metadata = Object.fromEntries(given);
    super(sentence.replace(/\{(\w+)\}/g, (_, name: string) => texts[name] ?? ''));
    this.name = 'ApiError';
    this.reason = reason;
    this.metadata = texts;
    this.status = status ?? usual;
    this.fieldViolations = fieldViolations;
  }

  get code(): number {
    return statuses[this.status].code;
  }

  get httpStatus(): number {
    return statuses[this.status].http;
  }
}

type MetadataOf<R extends Reason> = keyof ParametersOf<R> extends never ? [] : [ParametersOf<R>];

/** An error of this reason: `refusal('LAST_ADMIN')`, `refusal('NO_KEYS', { devEUI })`. */
export function refusal<R extends Reason>(reason: R, ...[metadata]: MetadataOf<R>): ApiError {
  return new ApiError<Reason>(reason, (metadata ?? {}) as ParametersOf<Reason>);
}

/** The record does not exist: `notFound('service-profile', id)`. */
export function notFound(resource: string, id: string): ApiError {
  return refusal('NOT_FOUND', { resource, id: shortened(id) });
}

/** A unique value exists already: `alreadyExists('application', { field: 'application.name', called: 'name' })`. */
export function alreadyExists(resource: string, by?: { field: string; called: string }): ApiError {
  if (!by) return refusal('ALREADY_EXISTS', { resource });
  return atField(by.field, refusal('TAKEN', { resource, called: by.called }));
}

/** The record cannot be deleted while others refer to it: `inUse('service-profile', 'applications')`. */
export function inUse(resource: string, by: string): ApiError {
  return refusal('IN_USE', { resource, by });
}

/** The same refusal, also reported for its field. */
export function atField(field: string, { reason, metadata, status, message }: ApiError): ApiError {
  const fieldViolations = [{ field, description: message }];
  return new ApiError<Reason>(reason, metadata as ParametersOf<Reason>, { status, fieldViolations });
}

/** Several fields are invalid. */
export function invalidFields(fieldViolations: readonly FieldViolation[]): ApiError {
  const sentences = fieldViolations.map(({ field, description }) =>
    field === '' ? description : `${field}: ${description}`,
  );
  return new ApiError('INVALID_FIELDS', { problems: sentences.join(' ') }, { fieldViolations });
}

export function unauthenticated(): ApiError {
  return refusal('UNAUTHENTICATED');
}

/**
 * A refusal of a network-server with its own sentence. Its status number is passed on, unless the recorded API has
 * another one.
 */
export function passedOn(
  { number, message }: { readonly number: number; readonly message: string },
  status = statusOfCode(number),
): ApiError {
  return new ApiError('NETWORK_SERVER', { sentence: message }, { status });
}

function details({ reason, metadata, fieldViolations }: ApiError): Details {
  const info: ErrorInfoDetail = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'hilltop',
    metadata,
  };
  if (fieldViolations.length === 0) return [info];
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }, info];
}

/** The body of a failed unary call. */
export function errorBody(error: ApiError): ErrorBody {
  return { error: error.message, code: error.code, message: error.message, details: details(error) };
}

const httpPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** What a stream sends when it fails, over a websocket as well as in a plain answer. */
export function streamErrorBody(error: ApiError): StreamErrorBody {
  return {
    error: {
      grpcCode: error.code,
      httpCode: error.httpStatus,
      message: error.message,
      httpStatus: httpPhrases[error.httpStatus] ?? 'Error',
      details: details(error),
    },
  };
}

/** The name of a status number, as passed through from a network server; an unlisted number is `Unknown`. */
export function statusOfCode(code: number): StatusName {
  const names = Object.keys(statuses) as StatusName[];
  return names.find((name) => statuses[name].code === code) ?? 'Unknown';
}
