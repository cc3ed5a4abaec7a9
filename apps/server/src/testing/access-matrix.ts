import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { InputOf, Operation } from '@hilltop/contract';
import type { DatabaseKind } from '../database/database.ts';
import { CallError } from './client.ts';
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
export type PrincipalName = (typeof principals)[number];

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

/** Calls each operation over HTTP as every principal, on an own and on a foreign record. */
export function describeAccess(database: DatabaseKind, resource: string, rows: readonly AccessRow[]): void {
  describe(`who may use ${resource} on ${database}`, () => {
    let app: TestApp;
    let sides: { own: Side; foreign: Side };
    let tokens: Record<PrincipalName, string | null>;
    before(async () => {
      app = await startTestApp(database);
      ({ sides, tokens } = await createCast(app));
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
          for (const principal of principals) {
            const cell = `${principal} on ${where}`;
            prepared ??= await request(side);
            outcomes[cell] = await outcome(app, operation, prepared, tokens[principal]);
            expected[cell] = expectation(principal, where === 'own' ? allow : foreigners);
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

async function createCast(app: TestApp) {
  const own = await createSide(app);
  const foreign = await createSide(app);
  const { organizationID, applicationID } = own;
  const as = async (rights: object) => createUser(app, { organizations: [{ organizationID, ...rights }] });
  const member = await as({});
  const other = await createUser(app, { organizations: [{ organizationID: foreign.organizationID, isAdmin: true }] });
  const tokens: Record<PrincipalName, string | null> = {
    anonymous: null,
    disabled: (await disabled(app, await as({ isAdmin: true }))).token,
    member: member.token,
    deviceAdmin: (await as({ isDeviceAdmin: true })).token,
    gatewayAdmin: (await as({ isGatewayAdmin: true })).token,
    organizationAdmin: (await as({ isAdmin: true })).token,
    otherAdmin: other.token,
    globalAdmin: (await createUser(app, { isAdmin: true })).token,
    adminKey: (await createAPIKey(app, { isAdmin: true })).token,
    organizationKey: (await createAPIKey(app, { organizationID })).token,
    applicationKey: (await createAPIKey(app, { applicationID })).token,
  };
  return { tokens, sides: { own: { ...own, memberID: member.id }, foreign: { ...foreign, memberID: other.id } } };
}

/** Deactivates a user without ending the session, as when another instance opens the session at the same time. */
async function disabled(app: TestApp, someone: CreatedUser): Promise<CreatedUser> {
  const users = app.needs.database.query.updateTable('user').set({ is_active: false });
  await users.where('id', '=', Number(someone.id)).execute();
  return someone;
}

async function createSide(app: TestApp) {
  const organizationID = await createOrganization(app);
  const applicationID = await createApplication(app, { organizationID });
  return { app, organizationID, applicationID };
}
