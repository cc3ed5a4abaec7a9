import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type AccessCase,
  casesFor,
  type DownloadKindName,
  downloadKinds,
  type InputOf,
  type KeyAccessName,
  type Operation,
  operations,
} from '@hilltop/contract';
import type { DatabaseKind } from '../database/database.ts';
import { CallError } from './client.ts';
import { databases } from './databases.ts';
import { type CreatedUser, createAPIKey, createApplication, createOrganization, createUser } from './factories.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** All kinds of callers. Users and keys belong to the own organization unless their name says otherwise. */
const principals = [
  'anonymous',
  'disabled',
  'member',
  'deviceAdmin',
  'gatewayAdmin',
  'organizationAdmin',
  'otherAdmin',
  'globalAdmin',
  'adminKey',
  'organizationKey',
  'applicationKey',
] as const;
/** Callers with less than the rights of others: what they may do follows from these. */
const restricted = ['readOnlyMember', 'limitedMember', 'limitedElsewhere', 'readKey', 'readAndSendKey'] as const;
type Restricted = (typeof restricted)[number];
export type PrincipalName = (typeof principals)[number];
type Caller = PrincipalName | Restricted;
/**
 * The rules are the same on every database, and so is who decides by the caller alone. The rights of these callers
 * depend on queries, which run on each database.
 */
const judgedByQueries: readonly Caller[] = ['member', 'otherAdmin', 'applicationKey', 'limitedMember'];

/** The organization and application of a test's records. `memberID` is the user of the principal `member`. */
export interface Side {
  app: TestApp;
  organizationID: string;
  applicationID: string;
  memberID: string;
}

export interface AccessRow {
  /** Makes a request with new records, so that a delete has something to delete. */
  request: (side: Side) => object | Promise<object>;
  /** Principals with access to records of the own organization. */
  allow: readonly PrincipalName[];
  /** Principals with access to records of a foreign organization; global administrators and its own administrator by default. */
  foreign?: readonly PrincipalName[];
  operation: Operation;
}

/** One row of the matrix, with the request typed by its operation. */
export function row<O extends Operation>(
  operation: O,
  request: (side: Side) => InputOf<O> | Promise<InputOf<O>>,
  allow: readonly PrincipalName[],
  foreign?: readonly PrincipalName[],
): AccessRow {
  return { operation, request: request as AccessRow['request'], allow, ...(foreign && { foreign }) };
}

export const admins: PrincipalName[] = ['globalAdmin', 'adminKey'];
export const people: PrincipalName[] = ['member', 'deviceAdmin', 'gatewayAdmin', 'organizationAdmin', 'globalAdmin'];
export const readers: PrincipalName[] = [...people, 'adminKey', 'organizationKey'];
export const everyUser: PrincipalName[] = [...people, 'otherAdmin'];

/**
 * Calls each operation over HTTP as every principal, on an own and on a foreign record. On further databases only as
 * those whose rights depend on queries.
 */
export function describeAccess(database: DatabaseKind, resource: string, rows: readonly AccessRow[]): void {
  describe(`who may use ${resource} on ${database}`, () => {
    let app: TestApp;
    let sides: { own: Side; foreign: Side };
    let tokens: ReadonlyMap<Caller, string | null>;
    const callers = database === databases[0] ? [...principals, ...restricted] : judgedByQueries;
    before(async () => {
      app = await startTestApp(database);
      ({ sides, tokens } = await createCast(app, callers));
    });
    after(() => app[Symbol.asyncDispose]());

    for (const { operation, request, allow, foreign } of rows) {
      it(operation.key, async () => {
        const foreigners =
          foreign ??
          allow
            .filter((name) => admins.includes(name))
            .concat(allow.includes('organizationAdmin') ? ['otherAdmin'] : []);
        const outcomes: Record<string, string> = {};
        const expected: Record<string, string> = {};
        for (const [where, side] of Object.entries(sides)) {
          let prepared: object | undefined;
          for (const principal of callers) {
            const cell = `${principal} on ${where}`;
            prepared ??= await request(side);
            outcomes[cell] = await outcome(app, operation, prepared, tokens.get(principal)!);
            const allowed = where === 'own' ? allow : foreigners;
            expected[cell] = isRestricted(principal)
              ? restrictedExpectation(principal, { allowed, operation, request: prepared, side })
              : expectation(principal, allowed);
            // A read and a refused call leave the records as they are.
            if (operation.method !== 'GET' && outcomes[cell] === 'allowed') prepared = undefined;
          }
        }
        assert.deepEqual(outcomes, expected);
      });
    }
  });
}

function expectation(principal: PrincipalName, allowed: readonly PrincipalName[]): string {
  if (allowed.includes(principal)) return 'allowed';
  return principal === 'anonymous' || principal === 'disabled' ? 'no session' : 'refused';
}

const isRestricted = (name: string): name is Restricted => (restricted as readonly string[]).includes(name);

/** A download is decided by the operation behind its kind. */
function casesOfDownload(request: object): readonly AccessCase[] {
  const { kind, requestJSON } = request as { kind: DownloadKindName; requestJSON: string };
  return casesFor(downloadKinds[kind].operation.access, JSON.parse(requestJSON));
}

interface RestrictedCell {
  allowed: readonly PrincipalName[];
  operation: Operation;
  request: object;
  side: Side;
}

function restrictedExpectation(name: Restricted, { allowed, operation, request, side }: RestrictedCell): string {
  const { effect, access } = operation;
  const cases = operation.key === 'download.create' ? casesOfDownload(request) : casesFor(access, request);
  const isOwn = cases.every(({ isOwn: own, allow }) => own || allow.includes('anyUser'));
  const needsFullAccess = cases.some((one) => one.needsFullAccess);
  const may = (principal: PrincipalName, isIncluded: boolean) =>
    allowed.includes(principal) && isIncluded ? 'allowed' : 'refused';
  switch (name) {
    case 'readKey':
      return may('organizationKey', effect === 'read' && !needsFullAccess);
    case 'readAndSendKey':
      return may('organizationKey', effect !== 'change' && !needsFullAccess);
    case 'readOnlyMember':
      return may('member', cases.every(isForMembers) && (effect === 'read' || isOwn));
    default:
      return may(
        'member',
        cases.every((one) => includesLimited(one, name === 'limitedMember' ? side.applicationID : '')),
      );
  }
}

/** Not only for the member that the request is about. */
const isForMembers = ({ allow }: AccessCase): boolean =>
  allow.includes('member') || allow.includes('limitedMember') || allow.includes('anyUser');

/** Whether a case leaves room for a member limited to this application; '' is limited to another one. */
function includesLimited({ on, allow }: AccessCase, applicationID: string): boolean {
  if (allow.includes('anyUser') || allow.includes('limitedMember')) return true;
  return (
    allow.includes('member') &&
    applicationID !== '' &&
    (on === 'application' || on === 'device' || on === 'multicastGroup')
  );
}

/** Any response except a refusal means that access was granted. */
async function outcome(app: TestApp, operation: Operation, request: object, token: string | null): Promise<string> {
  try {
    await app.call(operation, request, token);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.code === 16) return 'no session';
    if (error.code === 7) return 'refused';
    if (error.code === 2 || error.code === 13) throw error;
    return 'allowed';
  }
}

async function createCast(app: TestApp, callers: readonly Caller[]) {
  const own = await createSide(app);
  const foreign = await createSide(app);
  const { organizationID, applicationID } = own;
  const as = async (rights: object) => createUser(app, { organizations: [{ organizationID, ...rights }] });
  const member = await as({});
  const other = await createUser(app, { organizations: [{ organizationID: foreign.organizationID, isAdmin: true }] });
  const limitedTo = async (limits: object) => {
    const user = await as({});
    const organizationUser = { organizationID, userID: user.id, ...limits };
    await app.call(operations.organization.updateUser, { organizationUser });
    return user.token;
  };
  const tokensOf: Record<Caller, () => Promise<string | null>> = {
    anonymous: () => Promise.resolve(null),
    disabled: async () => (await disabled(app, await as({ isAdmin: true }))).token,
    member: () => Promise.resolve(member.token),
    deviceAdmin: async () => (await as({ isDeviceAdmin: true })).token,
    gatewayAdmin: async () => (await as({ isGatewayAdmin: true })).token,
    organizationAdmin: async () => (await as({ isAdmin: true })).token,
    otherAdmin: () => Promise.resolve(other.token),
    globalAdmin: async () => (await createUser(app, { isAdmin: true })).token,
    adminKey: async () => (await createAPIKey(app, { isAdmin: true })).token,
    organizationKey: async () => (await createAPIKey(app, { organizationID })).token,
    applicationKey: async () => (await createAPIKey(app, { applicationID })).token,
    readOnlyMember: () => limitedTo({ isReadOnly: true }),
    limitedMember: () => limitedTo({ applicationIDs: [applicationID] }),
    limitedElsewhere: async () => limitedTo({ applicationIDs: [await createApplication(app, { organizationID })] }),
    readKey: () => keyWith(app, organizationID, 'READ'),
    readAndSendKey: () => keyWith(app, organizationID, 'READ_AND_SEND'),
  };
  const tokens = new Map<Caller, string | null>();
  for (const caller of callers) tokens.set(caller, await tokensOf[caller]());
  return { tokens, sides: { own: { ...own, memberID: member.id }, foreign: { ...foreign, memberID: other.id } } };
}

async function keyWith(app: TestApp, organizationID: string, access: KeyAccessName): Promise<string> {
  const { id, token } = await createAPIKey(app, { organizationID });
  await app.parts.database.query.updateTable('api_key').set({ access }).where('id', '=', id).execute();
  return token;
}

/** Deactivates a user without ending the session, as when another instance opens the session at the same time. */
async function disabled(app: TestApp, someone: CreatedUser): Promise<CreatedUser> {
  const users = app.parts.database.query.updateTable('user').set({ is_active: false });
  await users.where('id', '=', Number(someone.id)).execute();
  return someone;
}

async function createSide(app: TestApp) {
  const organizationID = await createOrganization(app);
  const applicationID = await createApplication(app, { organizationID });
  return { app, organizationID, applicationID };
}
