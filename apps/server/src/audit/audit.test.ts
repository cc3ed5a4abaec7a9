import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allOperations, auditedSubject, notAudited, type Operation, operations } from '@hilltop/contract';
import { sql } from 'kysely';
import { databases } from '../testing/databases.ts';
import { createAPIKey, createUser } from '../testing/factories.ts';
import { createSurroundings } from '../testing/field.ts';
import { wellMeant } from '../testing/odd-requests.ts';
import { integrationOf, type Known, oneOfEverything } from '../testing/one-of-everything.ts';
import { refused } from '../testing/refused.ts';
import { adminEmail, startTestApp, type TestApp } from '../testing/test-app.ts';
import { AuditRetention } from './retention.ts';

const key = 'c0ffee'.padEnd(32, '0');
const password = 'canary password';
const secretText = 'canary-secret';

type Texts = Record<string, string>;

/** What `wellMeant` requests lack, by operation. */
const requests: Readonly<Record<string, (known: Texts) => object>> = {
  'internal.createAPIKey': ({ organizationID }) => ({ apiKey: { name: 'key', organizationID } }),
  'firstSteps.addDevice': ({ organizationID, applicationID, deviceProfileID }) => ({
    ...{ organizationID, applicationID, deviceProfileID, name: 'first', devEUI: '0101010101010101', nwkKey: key },
  }),
  'user.create': () => ({ user: { email: 'new@example.org', isActive: true }, password }),
  'user.update': ({ userID }) => ({ user: { id: userID, email: 'changed@example.org', isActive: true } }),
  'user.updatePassword': ({ userID }) => ({ userId: userID, password }),
  'organization.update': ({ organizationID }) => ({
    organization: { id: organizationID, name: 'renamed', displayName: 'Renamed', canHaveGateways: true },
  }),
  'organization.addUser': ({ organizationID }) => ({ organizationUser: { organizationID, email: 'new@example.org' } }),
  'radio.create': () => ({ name: 'second', region: 'US915', subBand: 2 }),
  'gateway.create': ({ organizationID }) => ({
    gateway: { id: '0202020202020202', name: 'new', organizationID, networkServerID: '1', location: { latitude: 1 } },
  }),
  'application.update': ({ applicationID, serviceProfileID }) => ({
    application: { id: applicationID, name: 'renamed', serviceProfileID },
  }),
  'application.updateHTTPIntegration': ({ applicationID }) => ({
    integration: {
      applicationID,
      headers: [{ key: 'Authorization', value: secretText }],
      eventEndpointURL: `https://sink.example.org/events?token=${secretText}`,
    },
  }),
  'device.create': ({ applicationID, deviceProfileID }) => ({
    device: { devEUI: '0404040404040404', name: 'new', applicationID, deviceProfileID, variables: { a: secretText } },
  }),
  'device.createKeys': () => ({ deviceKeys: { devEUI: '0404040404040404', nwkKey: key } }),
  'device.updateKeys': ({ devEUI }) => ({ deviceKeys: { devEUI, nwkKey: key } }),
  'device.update': ({ devEUI, applicationID, deviceProfileID }) => ({
    device: { devEUI, name: 'renamed', applicationID, deviceProfileID },
  }),
  'gatewayReplacement.create': ({ gatewayID }) => ({ gatewayID, newGatewayID: '0303030303030303' }),
};

/** Records that others need are deleted at the end, in this order. */
const deletedLast = ['multicastGroup', 'device', 'application', 'user', 'organization'].map((one) => `${one}.delete`);

/** Tables that change by themselves, and the log. */
const volatile =
  /^(audit|own_certificate|integration_state|delivery|alert_cursor|gateway_discovery|metric|server_run|retention|lease|session|ns_|condition|job|event|download|.*_search)/;

it('declares the subject of each operation that changes something', () => {
  const undeclared = allOperations.filter(
    (operation) => operation.effect === 'change' && !(operation.key in notAudited) && !auditedSubject(operation, {}),
  );
  assert.deepEqual(
    undeclared.map((operation) => operation.key),
    [],
  );
});

for (const database of databases) {
  describe(`the audit log on ${database}`, () => {
    let app: TestApp;
    let given: Known;
    let tables: string[];
    before(async () => {
      app = await startTestApp(database);
      given = await oneOfEverything(app);
      const all = await app.parts.database.query.introspection.getTables();
      tables = all.map(({ name }) => name).filter((name) => !volatile.test(name));
      const { id } = given.ids['job'] as { id: string };
      // It changes a device.
      while ((await app.call(operations.job.get, { id })).job.endedAt === null);
    });
    after(() => app[Symbol.asyncDispose]());

    const entries = () => app.parts.database.query.selectFrom('audit').selectAll().orderBy('id').execute();

    /** The rows of all tables but volatile ones. */
    async function contents(): Promise<Map<string, string>> {
      const { query } = app.parts.database;
      // One database is enough: the transactions of both are the same code.
      if (database !== 'sqlite') return new Map();
      const rows = new Map<string, string>();
      for (const name of tables)
        rows.set(
          name,
          JSON.stringify(
            await query
              .selectFrom(name as 'application')
              .selectAll()
              .execute(),
          ),
        );
      return rows;
    }

    async function refuseEntries(): Promise<void> {
      if (database === 'sqlite')
        await sql`create trigger no_audit before insert on audit begin select raise(abort, 'no entry'); end`.execute(
          app.parts.database.query,
        );
      else
        await sql`alter table audit add constraint no_audit check (id < 0) not valid`.execute(app.parts.database.query);
    }
    async function acceptEntries(): Promise<void> {
      if (database === 'sqlite') await sql`drop trigger no_audit`.execute(app.parts.database.query);
      else await sql`alter table audit drop constraint no_audit`.execute(app.parts.database.query);
    }

    it('has a read of the keys of a device once a minute for each caller', async () => {
      const devEUI = given.known['devEUI'] as string;
      const { id, token } = await createUser(app, { isAdmin: true });
      for (let call = 0; call < 3; call++) await app.call(operations.device.getKeys, { devEUI }, token);
      const reads = (await entries()).filter(
        ({ actor_id, operation }) => actor_id === id && operation === 'device.getKeys',
      );
      assert.equal(reads.length, 1);
    });

    it('has one entry for each change, in its transaction, and no secret', async () => {
      const order = ({ key: name, method }: Operation) =>
        (deletedLast.indexOf(name) + 1) * 2 || Number(method === 'DELETE');
      const changing = allOperations
        .filter(({ effect }) => effect === 'change')
        .toSorted((a, b) => order(a) - order(b));
      const tried: string[] = [];
      for (const operation of changing) {
        const { known, ids } = given;
        const own = { ...known, ...ids[operation.key.split('.')[0]!], ...integrationOf(operation.rpc) };
        const request = (requests[operation.key]?.(known as Texts) ?? wellMeant(operation.request, own)) as never;
        await refuseEntries();
        const refusedChanges = async () => {
          const unchanged = await contents();
          await assert.rejects(app.call(operation, request), operation.key);
          return [...(await contents())].flatMap(([table, rows]) => (rows === unchanged.get(table) ? [] : table));
        };
        // Work in the background, such as of jobs, changes records as well: not twice in the same moment.
        const changed = (await refusedChanges()).length === 0 ? [] : await refusedChanges();
        await acceptEntries();
        assert.deepEqual(changed, [], `${operation.key} changed without an entry`);
        const count = (await entries()).length;
        const isDone = await app.call(operation, request).then(
          () => true,
          () => false,
        );
        const written = (await entries()).slice(count).filter((entry) => entry.operation === operation.key);
        if (!isDone) continue;
        tried.push(operation.key);
        assert.equal(written.length, 1, operation.key);
        const subject = auditedSubject(operation, request);
        // The record that was deleted.
        const kind = subject?.kind === 'trash' ? 'device' : subject?.kind;
        assert.ok(written[0]!.subject.startsWith(`${kind}/`), operation.key);
        assert.equal(written[0]!.actor_name, adminEmail);
      }
      // The others need what this test does not have, such as a remote network server.
      assert.ok(tried.length > 80, `only ${tried.length} operations succeeded`);
      const all = JSON.stringify(await entries());
      for (const secret of [key, password, secretText]) assert.ok(!all.includes(secret), secret);
    });

    it('shows what an update changed, to administrators of the organization only', async () => {
      const { id: organizationID } = await app.call(operations.organization.create, {
        organization: { name: 'audited', displayName: 'before', canHaveGateways: true },
      });
      const organization = { id: organizationID, name: 'audited', displayName: 'after', canHaveGateways: true };
      await app.call(operations.organization.update, { organization });
      const membership = { organizationID };
      const { token: ofAdmin } = await createUser(app, { organizations: [{ ...membership, isAdmin: true }] });
      const { token: ofMember } = await createUser(app, { organizations: [membership] });
      const subject = `organization/${organizationID}`;
      const { result, older } = await app.call(operations.audit.list, { organizationID, subject, limit: 1 }, ofAdmin);
      assert.deepEqual(result[0]!.changes, [
        { field: 'displayName', before: 'before', after: 'after', secret: 'NONE', isCut: false },
      ]);
      const next = await app.call(operations.audit.list, { organizationID, subject, before: older }, ofAdmin);
      assert.deepEqual(
        next.result.map(({ operation }) => operation),
        ['organization.create'],
      );
      await refused(7, app.call(operations.audit.list, { organizationID }, ofMember));
      await refused(7, app.call(operations.audit.list, {}, ofAdmin));
    });

    it('says whose rights were changed, and which limits were lifted', async () => {
      const { id: organizationID } = await app.call(operations.organization.create, {
        organization: { name: 'audited-rights', displayName: 'Audited rights' },
      });
      const { id: userID, email } = await createUser(app);
      const member = { organizationID, userID };
      await app.call(operations.organization.addUser, {
        organizationUser: { organizationID, email, isReadOnly: true },
      });
      await app.call(operations.organization.updateUser, { organizationUser: { ...member, isReadOnly: false } });
      const { result } = await app.call(operations.audit.list, { subject: `user/${userID}`, organizationID });
      assert.deepEqual(
        result.map(({ operation, subjectName }) => [operation, subjectName]),
        [
          ['organization.updateUser', email],
          ['organization.addUser', email],
        ],
      );
      const lifted = result[0]!.changes.find(({ field }) => field.endsWith('isReadOnly'));
      assert.deepEqual([lifted?.before, lifted?.after], ['true', 'false']);
    });

    it('says that the end of an API key was removed, and which key was deleted', async () => {
      const expiresAt = '2099-01-01T00:00:00.000Z';
      const { id } = await createAPIKey(app, { isAdmin: true, name: 'temporary', access: 'READ', expiresAt });
      await app.call(operations.apiKey.update, { id, name: 'temporary' });
      await app.call(operations.internal.deleteAPIKey, { id });
      const [deleted, updated] = (await app.call(operations.audit.list, { subject: `apiKey/${id}` })).result;
      assert.deepEqual(
        updated!.changes.map(({ field, before, after }) => [field, before, after]),
        [['expiresAt', expiresAt, '']],
      );
      assert.ok(deleted!.changes.some(({ field, before }) => field === 'access' && before === 'READ'));
    });

    it('says what first steps, views and restorations changed', async () => {
      const { organizationID, applicationID, deviceProfileID } = await createSurroundings(app);
      const newest = async (filter: object) =>
        (await app.call(operations.audit.list, { limit: 1, ...filter })).result[0]!;
      const devEUI = '0505050505050505';
      const added = { organizationID, applicationID, deviceProfileID, devEUI, name: 'first', nwkKey: key };
      await app.call(operations.firstSteps.addDevice, added);
      const entry = await newest({ subject: `device/${devEUI}` });
      assert.equal(entry.subjectName, 'first');
      assert.deepEqual(
        entry.changes.map(({ field, secret }) => `${field} ${secret}`),
        ['organizationID NONE', 'name NONE', 'deviceProfileID NONE', 'nwkKey SET', 'applicationID NONE'],
      );

      const { applicationID: newID } = await app.call(operations.firstSteps.addDevice, {
        ...{ ...added, devEUI: '0505050505050506', applicationID: '0', applicationName: 'with-device' },
      });
      const created = await newest({ subject: `application/${newID}`, changesOnly: true });
      assert.deepEqual(
        [created.operation, created.subjectName, created.organizationID, created.actorName],
        ['application.create', 'with-device', organizationID, entry.actorName],
      );
      assert.ok(created.changes.some(({ field, after }) => field === 'name' && after === 'with-device'));

      await app.call(operations.device.delete, { devEUI });
      const { result } = await app.call(operations.trash.list, { recordID: devEUI, limit: 1 });
      await app.call(operations.trash.restore, { id: result[0]!.id });
      const restored = await newest({ subject: `device/${devEUI}` });
      assert.deepEqual([restored.operation, restored.subjectName], ['trash.restore', 'first']);

      const { id: emptyID } = await app.call(operations.organization.create, {
        organization: { name: 'first-profiles', displayName: 'First profiles' },
      });
      await app.call(operations.firstSteps.makeProfiles, { organizationID: emptyID });
      const made = await newest({ subject: `organization/${emptyID}` });
      const counts = made.changes.filter(({ after }) => Number(after) > 0).map(({ field }) => field);
      assert.deepEqual(counts, ['serviceProfiles', 'deviceProfiles']);

      const { id } = await app.call(operations.view.create, { organizationID, list: 'DEVICES', name: 'mine' });
      await app.call(operations.view.update, { id, name: 'ours' });
      const updated = await newest({ subject: `view/${id}` });
      assert.deepEqual(
        [updated.organizationID, updated.changes.map(({ before, after }) => [before, after])],
        [organizationID, [['mine', 'ours']]],
      );
      await app.call(operations.view.delete, { id });
      const deleted = await newest({ subject: `view/${id}` });
      assert.deepEqual([deleted.organizationID, deleted.subjectName], [organizationID, 'ours']);
    });

    it('says that the query of an address was changed, and nothing of a refused update of an import', async () => {
      const { organizationID, applicationID } = await createSurroundings(app);
      const integrationWith = (token: string) => ({
        integration: { applicationID, eventEndpointURL: `https://sink.example.org/events?token=${token}` },
      });
      await app.call(operations.application.createHTTPIntegration, integrationWith('a'));
      await app.call(operations.application.updateHTTPIntegration, integrationWith('b'));
      const { result } = await app.call(operations.audit.list, { operation: 'application.updateHTTPIntegration' });
      assert.deepEqual(result[0]!.changes, [
        { field: 'eventEndpointURL', before: '', after: '', secret: 'CHANGED', isCut: false },
      ]);

      const created = await app.call(operations.fileImport.create, { organizationID, kind: 'DEVICES' });
      const file = btoa('devEUI\n0606060606060606');
      await app.call(operations.fileImport.upload, { id: created.id, name: 'a.csv', file });
      await refused(3, app.call(operations.fileImport.update, { id: created.id, columns: [] }));
      await app.call(operations.fileImport.update, { id: created.id, columns: [{ field: 'devEUI' }] });
      const ofImport = await app.call(operations.audit.list, { subject: `fileImport/${created.id}` });
      assert.deepEqual(
        ofImport.result.map(({ operation, outcome }) => [operation, outcome]),
        [
          ['fileImport.update', 'OK'],
          ['fileImport.upload', 'OK'],
          ['fileImport.create', 'OK'],
        ],
      );
    });

    it('lists the entries of one operation, page by page', async () => {
      const operation = 'device.create';
      const expected = (await entries()).filter((entry) => entry.operation === operation).map(({ id }) => String(id));
      const found: string[] = [];
      for (let before: string | undefined; before !== ''; ) {
        const filter = { operation, limit: 1, ...(before !== undefined && { before }) };
        const page = await app.call(operations.audit.list, filter);
        found.push(...page.result.map(({ id }) => id));
        before = page.older;
      }
      assert.ok(expected.length > 1);
      assert.deepEqual(found, expected.reverse());
    });

    it('has a refused call, and a wrong password, once a minute', async () => {
      const { id, email, token } = await createUser(app);
      for (let call = 0; call < 3; call++) {
        await assert.rejects(app.call(operations.organization.create, { organization: { name: 'x' } }, token));
        await assert.rejects(app.signIn(email, 'wrong'));
      }
      const { result } = await app.call(operations.audit.list, { subject: `user/${id}` });
      assert.equal(result.filter(({ outcome }) => outcome === 'Unauthenticated').length, 1);
      const { result: ofUser } = await app.call(operations.audit.list, { actor: email });
      assert.equal(ofUser.filter(({ outcome }) => outcome === 'PermissionDenied').length, 1);
    });

    it('loses its oldest entries when there are too many', async () => {
      const { database, clock, metrics, log } = app.parts;
      const all = (await entries()).map(({ id }) => id);
      const steadyTime = { now: () => clock.now().getTime() };
      await new AuditRetention({
        ...{ database, metrics, log, steadyTime },
        ...{ config: { auditDays: 365 }, mostEntries: 5 },
      }).round();
      const left = (await entries()).map(({ id }) => id);
      assert.ok(all.length > 5 && left.length > 0 && left.length <= 5);
      assert.deepEqual(left, all.slice(-left.length));
    });
  });
}
