import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { CallError } from '../../testing/client.ts';
import { databases } from '../../testing/databases.ts';
import { createAPIKey, createUser } from '../../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { application, device, gateway, organization, trash } = operations;

/** Tables whose rows the database removes with their organization. */
async function goingAlong({ kind, query }: Database): Promise<Set<string>> {
  const { rows } = await (kind === 'sqlite'
    ? sql<{
        name: string;
      }>`select tables.name from sqlite_master as tables, pragma_foreign_key_list(tables.name) as keys
        where tables.type = 'table' and keys."table" = 'organization' and keys.on_delete = 'CASCADE'`
    : sql<{ name: string }>`select conrelid::regclass::text as name from pg_constraint
        where confrelid = 'organization'::regclass and confdeltype = 'c'`
  ).execute(query);
  return new Set(rows.map(({ name }) => name));
}

for (const database of databases) {
  describe(`removing the contents of an organization on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    const fill = async ({ applicationID, deviceProfileID }: FieldContext, devices: number) => {
      const euis = Array.from({ length: devices }, () => crypto.randomUUID().replaceAll('-', '').slice(0, 16));
      const create = (devEUI: string) =>
        app.call(device.create, { device: { devEUI, applicationID, deviceProfileID } });
      while (euis.length > 0) await Promise.all(euis.splice(0, 25).map(create));
    };

    it('removes the statistics of its devices and gateways', async () => {
      const surroundings = await createSurroundings(app);
      const { organizationID } = surroundings;
      const devEUI = await createDevice(app, surroundings);
      const gatewayID = await createGateway(app, organizationID);
      const { statistics, database: db } = app.parts;
      const subjects = [`device:${devEUI}`, `gateway:${gatewayID}`];
      for (const subject of subjects) await statistics.record(subject, Date.now(), { rx_count: 1 });
      await statistics.fold();
      for (const subject of subjects) await statistics.record(subject, Date.now(), { rx_count: 1 });
      await app.call(organization.delete, { id: organizationID });
      for (const table of ['metric', 'metric_fact'] as const)
        assert.deepEqual(await db.query.selectFrom(table).selectAll().where('subject', 'in', subjects).execute(), []);
    });

    it('leaves no row of any table that belongs to it', async () => {
      const { query } = app.parts.database;
      const tables = (await query.introspection.getTables())
        // The trash keeps what was deleted, and the audit log who deleted it.
        .filter(({ name }) => name !== 'trash' && name !== 'audit')
        .filter(({ columns }) => columns.some((column) => column.name === 'organization_id'))
        .map(({ name }) => name as 'application');
      const emptyFor = async (organizationID: string) => {
        const found: string[] = [];
        for (const table of tables) {
          const rows = query.selectFrom(table).select('organization_id');
          if (!(await rows.where('organization_id', '=', Number(organizationID)).executeTakeFirst())) found.push(table);
        }
        return found;
      };
      const surroundings = await createSurroundings(app);
      const { organizationID } = surroundings;
      await createDevice(app, surroundings);
      await createGateway(app, organizationID);
      await createAPIKey(app, { organizationID });
      await createUser(app, { organizations: [{ organizationID }] });
      await addAlert(app, Number(organizationID));
      const byThemselves = await goingAlong(app.parts.database);
      const untried = (await emptyFor(organizationID)).filter((table) => !byThemselves.has(table));
      assert.deepEqual(untried, [], 'tables that nothing empties, or that this test makes no row in');
      await app.call(organization.delete, { id: organizationID });
      assert.deepEqual(await emptyFor(organizationID), tables);
    });

    it('lets other writes run in between, also on SQLite with its one writer', async () => {
      const surroundings = await createSurroundings(app);
      await fill(surroundings, 500);
      const done: string[] = [];
      const removed = app
        .call(organization.delete, { id: surroundings.organizationID })
        .then(() => done.push('removed'));
      for (const step of ['first', 'second']) {
        await createAPIKey(app, { isAdmin: true });
        done.push(step);
      }
      await removed;
      assert.deepEqual(done, ['first', 'second', 'removed']);
    });

    it('counts each device and gateway once, however many calls remove or move it', async () => {
      const surroundings = await createSurroundings(app);
      const { organizationID, applicationID, deviceProfileID, serviceProfileID } = surroundings;
      const devEUI = await createDevice(app, surroundings);
      const gatewayID = await createGateway(app, organizationID);
      const name = 'elsewhere';
      const there = { name, organizationID, serviceProfileID };
      const { id: other } = await app.call(application.create, { application: there });
      const counts = async () => {
        const { query } = app.parts.database;
        const ofOrganization = query.selectFrom('organization').select(['device_count', 'gateway_count']);
        const ofApplications = query.selectFrom('application').select(['id', 'device_count']);
        const own = await ofOrganization.where('id', '=', Number(organizationID)).executeTakeFirstOrThrow();
        const rows = await ofApplications.where('organization_id', '=', Number(organizationID)).orderBy('id').execute();
        return [own.device_count, own.gateway_count, ...rows.map((row) => row.device_count)];
      };
      assert.deepEqual(await counts(), [1, 1, 1, 0]);
      const move = () => app.call(device.update, { device: { devEUI, name, applicationID: other, deviceProfileID } });
      await Promise.allSettled(Array.from({ length: 8 }, move));
      assert.deepEqual(await counts(), [1, 1, 0, 1]);
      const remove = () => [
        app.call(device.delete, { devEUI }),
        app.call(gateway.delete, { id: gatewayID }),
        app.call(application.get, { id: applicationID }),
      ];
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, remove).flat());
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 8 + 2);
      assert.deepEqual(await counts(), [0, 0, 0, 0]);
    });

    it('removes an application or organization once, however many calls remove it', async () => {
      const surroundings = await createSurroundings(app);
      const { organizationID, applicationID } = surroundings;
      await fill(surroundings, 120);
      const event = { applicationID, eventEndpointURL: 'https://example.org', marshaler: 'JSON' } as const;
      await app.call(application.createHTTPIntegration, { integration: event });
      const removeOnce = async (remove: () => Promise<unknown>, recordID: string, kind: string) => {
        const outcomes = await Promise.allSettled(Array.from({ length: 4 }, remove));
        const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        assert.deepEqual(
          refusals.map((error: CallError) => error.code),
          [5, 5, 5],
        );
        const { result } = await app.call(trash.list, { recordID, limit: 10 });
        const entries = result.filter((entry) => entry.kind === kind);
        assert.equal(entries.length, 1);
        assert.equal(entries[0]?.isPartial, false);
        return Object.fromEntries(entries[0].contents.map((one) => [one.kind, one.count]));
      };
      const removeApplication = () => app.call(application.delete, { id: applicationID });
      const ofApplication = await removeOnce(removeApplication, applicationID, 'APPLICATION');
      assert.deepEqual(ofApplication, { APPLICATION: 1, DEVICE: 120, INTEGRATION: 1 });
      await createGateway(app, organizationID);
      const { serviceProfileID } = surroundings;
      const { id: second } = await app.call(application.create, {
        application: { name: 'second', organizationID, serviceProfileID },
      });
      await fill({ ...surroundings, applicationID: second }, 60);
      const removeOrganization = () => app.call(organization.delete, { id: organizationID });
      const ofOrganization = await removeOnce(removeOrganization, organizationID, 'ORGANIZATION');
      assert.deepEqual([ofOrganization.DEVICE, ofOrganization.GATEWAY, ofOrganization.APPLICATION], [60, 1, 1]);
    });

    it('keeps the counts right when two calls run at once', async () => {
      const surroundings = await createSurroundings(app);
      const { organizationID, applicationID } = surroundings;
      await fill(surroundings, 120);
      const remove = () => app.call(application.delete, { id: applicationID });
      await Promise.allSettled([remove(), remove()]);
      const row = await app.parts.database.query
        .selectFrom('organization')
        .select('device_count')
        .where('id', '=', Number(organizationID))
        .executeTakeFirstOrThrow();
      assert.equal(row.device_count, 0);
    });
  });
}

/** An open condition, and an alert of a rule on it. */
async function addAlert({ parts }: TestApp, organization_id: number): Promise<void> {
  const { query } = parts.database;
  const subject = { subject_kind: 'GATEWAY', subject_id: '0102030405060708', organization_id } as const;
  const condition = 'GATEWAY_OFFLINE';
  const none = { application_id: null, since: 1 };
  await query
    .insertInto('condition')
    .values({ ...none, ...subject, id: randomUUID(), condition, snoozed_until: null })
    .execute();
  const rule_id = randomUUID();
  const texts = { name: 'a', scope: '{}', channels: '[]', secrets: new Uint8Array() };
  const numbers = { for_minutes: 5, repeat_hours: 0, value: null, last_message_at: null, is_enabled: true };
  const times = { created_at: new Date(), updated_at: new Date() };
  await query
    .insertInto('alert_rule')
    .values({ ...texts, ...numbers, ...times, id: rule_id, organization_id, condition })
    .execute();
  const ended = { value: null, fired_at: 1, cleared_at: null, acknowledged_at: null, resolved_at: null };
  await query
    .insertInto('alert')
    .values({
      ...none,
      ...subject,
      ...ended,
      id: randomUUID(),
      rule_id,
      subject_name: '',
      state: 'FIRING',
      notified_at: null,
    })
    .execute();
}
