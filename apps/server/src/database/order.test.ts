/** Tests every list with every sort field through HTTP, and compares it with rows that the test sorts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allOperations, type Operation, operations, type SortableBy } from '@hilltop/contract';
import { unconnected } from '../resources/network-server/store.ts';
import { databases } from '../testing/databases.ts';
import {
  createAPIKey,
  createApplication,
  createDeviceProfile,
  createGatewayProfile,
  createOrganization,
  createServiceProfile,
  createUser,
  networkServerID,
} from '../testing/factories.ts';
import { createMulticastGroup } from '../testing/field.ts';
import { wellMeant } from '../testing/odd-requests.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

type Row = Readonly<Record<string, unknown>>;
/** The ids of the created records. */
interface TestPlace {
  organizationID: string;
  applicationID: string;
}
interface Case {
  operation: Operation;
  /** The filter of the list. */
  of?: (testStorage: TestPlace) => object;
  usual: string;
}

const specialCases: readonly Case[] = [
  { operation: operations.user.list, usual: 'email' },
  { operation: operations.organization.list, usual: 'displayName' },
  { operation: operations.organization.listUsers, of: ({ organizationID }) => ({ organizationID }), usual: 'email' },
  { operation: operations.networkServer.list, usual: 'name' },
  { operation: operations.gatewayProfile.list, usual: 'name' },
  { operation: operations.serviceProfile.list, usual: 'name' },
  { operation: operations.deviceProfile.list, of: ({ organizationID }) => ({ organizationID }), usual: 'name' },
  { operation: operations.gateway.list, usual: 'name' },
  { operation: operations.gateway.list, of: ({ organizationID }) => ({ organizationID }), usual: 'name' },
  { operation: operations.application.list, of: ({ organizationID }) => ({ organizationID }), usual: 'name' },
  { operation: operations.device.list, usual: 'name' },
  { operation: operations.device.list, of: ({ applicationID }) => ({ applicationID }), usual: 'name' },
  { operation: operations.device.list, of: () => ({ search: 'lpha' }), usual: 'name' },
  { operation: operations.multicastGroup.list, usual: 'name' },
  {
    operation: operations.multicastGroup.list,
    of: ({ organizationID }) => ({ organizationID }),
    usual: 'name',
  },
  { operation: operations.internal.listAPIKeys, of: () => ({ isAdmin: true, include: 'details' }), usual: 'name' },
];
/** Lists without special handling, of resources with `create`, sorted by default by the first field. */
const plainCases = Object.values<Readonly<Record<string, Operation>>>(operations).flatMap(({ list, create }) => {
  const isPlain =
    list && create && 'orderBy' in list.request.fields && !specialCases.some(({ operation }) => operation === list);
  return isPlain ? [{ operation: list, create, usual: ordersOf(list)[0]! }] : [];
});
const cases: readonly Case[] = [...specialCases, ...plainCases];

/** In the expected order: `_` and digits before letters, case-insensitive, and other letters last. */
const names = ['10', '9', '_', 'Alpha', 'beta', 'Delta', 'delta-2', 'epsilon', 'Zeta', 'Ähre', 'ähre'];

/** The values with which the API represents missing ones. */
const missing: Readonly<Record<string, (row: Row) => boolean>> = {
  deviceStatusMargin: (row) => row['deviceStatusMargin'] === 256,
  deviceStatusBatteryLevel: (row) =>
    row['deviceStatusBatteryLevelUnavailable'] === true || row['deviceStatusExternalPowerSource'] === true,
};

function compare(one: unknown, other: unknown): number {
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other);
  const [first, second] = [one, other].map((text) => Buffer.from(text.replace(/[A-Z]/g, (a) => a.toLowerCase())));
  return Buffer.compare(first!, second!);
}

/** Serial keys are text on the wire, and times have no fraction when it is 0. */
function valueOf(row: Row, field: string): unknown {
  const value = row[field];
  if (field.endsWith('At') && typeof value === 'string') return Date.parse(value);
  return /^(id|userID)$/.test(field) && /^\d+$/.test(String(value)) ? Number(value) : value;
}

/** Sorts rows that are in the default order. */
function sorted(rows: readonly Row[], orderBy: string): Row[] {
  const field = orderBy.replace(/^-/, '');
  const direction = orderBy === field ? 1 : -1;
  const isMissing = (row: Row) => row[field] === null || missing[field]?.(row) === true;
  return rows.toSorted((one, other) => {
    if (isMissing(one) || isMissing(other)) return Number(isMissing(one)) - Number(isMissing(other));
    return direction * compare(valueOf(one, field), valueOf(other, field));
  });
}

function ordersOf(operation: Operation): readonly string[] {
  return operation.request.fields['orderBy']!.facts.values!;
}

it('is tested for every list that can be sorted', () => {
  const tried = new Set(cases.map(({ operation }) => operation));
  const sortable = allOperations.filter(({ request }) => 'orderBy' in request.fields);
  assert.deepEqual(
    sortable.filter((operation) => !tried.has(operation)).map(({ key }) => key),
    [],
  );
});

for (const database of databases) {
  describe(`order of lists on ${database}`, () => {
    let app: TestApp;
    let testStorage: TestPlace;
    before(async () => {
      app = await startTestApp(database);
      testStorage = await fill(app);
    });
    after(() => app[Symbol.asyncDispose]());

    async function rowsOf({ operation, of }: Case, request: object): Promise<Row[]> {
      const answer = await app.call(operation, { ...of?.(testStorage), limit: 100, ...request } as never);
      return (answer as { result: Row[] }).result;
    }

    for (const one of cases) {
      const { operation, usual } = one;
      const narrowed = one.of ? ` of ${Object.keys(one.of({ organizationID: '', applicationID: '' })).join()}` : '';

      describe(`${operation.key}${narrowed}`, () => {
        it(`uses ${usual} by default, whatever the case`, async () => {
          const rows = await rowsOf(one, {});
          assert.ok(rows.length >= 3);
          assert.deepEqual(
            rows.map((row) => row[usual]),
            sorted(rows, usual).map((row) => row[usual]),
          );
          assert.deepEqual(await rowsOf(one, { orderBy: '' }), rows);
          assert.deepEqual(await rowsOf(one, { orderBy: usual }), rows);
        });

        for (const orderBy of ordersOf(operation)) {
          it(`sorts by ${orderBy}, and its pages share no row`, async () => {
            const rows = await rowsOf(one, {});
            assert.ok(new Set(rows.map((row) => row[orderBy.replace('-', '')])).size > 1, 'the rows do not differ');
            const found = await rowsOf(one, { orderBy });
            const isUsual = orderBy === `-${usual}`;
            assert.deepEqual(found, isUsual ? rows.toReversed() : sorted(rows, orderBy));
            const pages = rows.map((_, offset) => rowsOf(one, { orderBy, limit: 1, offset }));
            assert.deepEqual((await Promise.all(pages)).flat(), found);
          });
        }
      });
    }

    it('sorts names in the same order everywhere', async () => {
      const rows = await rowsOf({ operation: operations.organization.list, usual: '' }, { orderBy: 'displayName' });
      assert.deepEqual(
        rows.map(({ displayName }) => displayName).filter((name) => names.includes(String(name))),
        names,
      );
    });

    it('lists the valid orders when the order is unknown', async () => {
      const orderBy = 'last_seen_at' as SortableBy<typeof operations.gateway.list>;
      const { fieldViolations, message } = await refused(3, app.call(operations.gateway.list, { orderBy }));
      assert.deepEqual(
        fieldViolations.map(({ field }) => field),
        ['orderBy'],
      );
      assert.match(message, /Must be one of id, -id, name, .*lastSeenAt, -lastSeenAt\./);
    });
  });
}

const shuffled = ['delta-2', 'Alpha', 'Zeta', 'beta', 'Delta'];
const later = (minutes: number) => new Date(Date.UTC(2026, 10, 21) + minutes * 60_000);

/** Creates records of each kind with unordered names, and with values that are equal, different and missing. */
async function fill(app: TestApp): Promise<TestPlace> {
  for (const [at, displayName] of ['ähre', '9', 'epsilon', 'Ähre', '_', '10', ...shuffled].entries())
    await createOrganization(app, { name: `o${(at * 7) % 11}`, displayName, canHaveGateways: at % 2 === 0 });
  const organizationID = await createOrganization(app, { name: 'p', displayName: 'p' });
  await fillUsers(app, organizationID);
  const { profiles, applications } = await fillProfiles(app, organizationID);
  await fillGateways(app, organizationID);
  await fillDevices(app, profiles, applications);
  for (const [at, name] of [...shuffled, '_', 'Eta'].entries())
    await createMulticastGroup(app, { name, applicationID: applications[(at * 3) % 4]! });
  await spreadOverNetworkServers(app);
  for (const { create } of plainCases)
    for (const name of shuffled)
      await app.call(create, wellMeant(create.request, { organizationID, networkServerID, name }) as never);
  return { organizationID, applicationID: applications[0]! };
}

async function fillUsers(app: TestApp, organizationID: string): Promise<void> {
  const rights = [{ isAdmin: true }, { isDeviceAdmin: true }, { isGatewayAdmin: true }, {}, { isDeviceAdmin: true }];
  for (const [at, name] of shuffled.entries()) {
    const organizations = [{ organizationID, ...rights[at]! }];
    await createUser(app, { email: `${name}@example.org`, isAdmin: at === 3, organizations });
    const expiresAt = at % 2 === 0 ? undefined : new Date(Date.now() + (9 - at) * 86_400_000).toISOString();
    await createAPIKey(app, { name, isAdmin: true, ...(expiresAt && { expiresAt }) });
  }
  const { query } = app.parts.database;
  await query.updateTable('api_key').set({ last_used_at: new Date() }).where('name', 'like', '%eta%').execute();
  await query.updateTable('user').set({ is_active: false }).where('email', 'like', '%eta%').execute();
}

async function fillProfiles(app: TestApp, organizationID: string) {
  const profiles: string[] = [];
  const applications: string[] = [];
  for (const [at, name] of shuffled.entries()) {
    await createGatewayProfile(app, { name });
    const serviceProfileID = await createServiceProfile(app, { name, organizationID });
    profiles.push(await createDeviceProfile(app, { name: shuffled.at(-at)!, organizationID }));
    const application = { name, organizationID, serviceProfileID, description: `for ${at % 2}` };
    applications.push(await createApplication(app, application));
  }
  return { profiles, applications };
}

async function fillGateways(app: TestApp, organizationID: string): Promise<void> {
  for (const [at, name] of [...shuffled, '_', 'Eta'].entries()) {
    const id = `00000000000000${((at * 37) % 90) + 10}`;
    await app.call(operations.gateway.create, { gateway: { id, name, organizationID, networkServerID, location: {} } });
    await app.parts.database.query
      .updateTable('gateway')
      .set({
        last_seen_at: at % 3 === 0 ? null : later((at * 5) % 4),
        first_seen_at: at % 2 === 0 ? null : later(at),
      })
      .where('id', '=', id)
      .execute();
  }
}

/** Two of them share name and profile, so that only their EUIs determine the order. */
async function fillDevices(app: TestApp, profiles: string[], applications: string[]): Promise<void> {
  for (const [at, name] of [...shuffled, '_', 'Eta', 'Alpha', 'alpha-2'].entries()) {
    const devEUI = `70b3d5000000${(0xffff - at * 999).toString(16)}`;
    const applicationID = applications[at % 4 === 1 ? 1 : 0]!;
    await app.call(operations.device.create, {
      device: { devEUI, name, applicationID, deviceProfileID: profiles[at % 3]! },
    });
    await app.parts.database.query
      .updateTable('device')
      .set({
        last_seen_at: at % 3 === 0 ? null : later((at * 5) % 4),
        margin: at % 3 === 1 ? null : (at % 4) - 2,
        battery_level: at % 3 === 2 ? null : 50 - at,
        external_power_source: at === 3,
      })
      .where('dev_eui', '=', devEUI)
      .execute();
  }
}

async function spreadOverNetworkServers({ parts: { database } }: TestApp): Promise<void> {
  const names = ['Beta', 'alpha', 'gamma'];
  const servers = await database.query
    .insertInto('network_server')
    .values(
      names.map((name, at) => ({ ...emptyServer, name, server: `${names.at(-at)}:8000`, created_at: later(at % 2) })),
    )
    .returning('id')
    .execute();
  for (const [at, { id }] of servers.entries()) {
    const name = shuffled[at + 1]!;
    const change = { network_server_id: id, created_at: later(at % 2) };
    for (const table of ['gateway_profile', 'device_profile', 'service_profile', 'gateway'] as const)
      await database.query.updateTable(table).set(change).where('name', '=', name).execute();
  }
}

const emptyServer = { ...unconnected, updated_at: new Date() };
