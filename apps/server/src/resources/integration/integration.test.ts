import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type IntegrationKindName,
  integrationKinds,
  type Operation,
  operations,
  unchangedSecret,
} from '@hilltop/contract';
import { pino } from 'pino';
import { loadConfigured } from '../../integrations/configured.ts';
import { findIntegration } from '../../integrations/store.ts';
import { describeAccess, type PrincipalName, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createApplication, createOrganization, createUser } from '../../testing/factories.ts';
import { offeredKinds, sampleIntegrations } from '../../testing/integrations.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { application, delivery, organization } = operations;
type Sample = Record<string, unknown>;
type TestAnswer = { integration: Sample };

const kinds = offeredKinds;
const byKey: Readonly<Record<string, Operation>> = application;

/** The four operations of a kind, whatever their messages are. */
function operationsOf(kind: IntegrationKindName) {
  const { rpc } = integrationKinds[kind];
  const [create, get, update, remove] = ['create', 'get', 'update', 'delete'].map(
    (verb) => byKey[`${verb}${rpc}Integration`]!,
  ) as [Operation, Operation, Operation, Operation];
  return { create, get, update, remove };
}

for (const database of databases) {
  describe(`integrations on ${database}`, () => {
    let app: TestApp;
    const lines: string[] = [];
    before(async () => {
      const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
      app = await startTestApp(database, {}, { log });
    });
    after(() => app[Symbol.asyncDispose]());

    const write = (operation: Operation, integration: object) => app.call(operation, { integration } as object);
    const read = async (kind: IntegrationKindName, applicationID: string) =>
      ((await app.call(operationsOf(kind).get, { applicationID } as object)) as TestAnswer).integration;
    const clear = async (applicationID: string) => {
      const [found] = await loadConfigured(app.parts, Number(applicationID));
      return found?.config as Sample;
    };

    for (const { kind } of kinds) {
      it(`of kind ${kind} are created, read, changed and deleted`, async () => {
        const { create, get, update, remove } = operationsOf(kind);
        const applicationID = await createApplication(app);
        const sample = { applicationID, ...sampleIntegrations[kind] };
        for (const [operation, input] of [
          [get, { applicationID }],
          [update, { integration: sample }],
          [remove, { applicationID }],
        ] as const)
          assert.match((await refused(5, app.call(operation, input as object))).message, /has no .* integration/);

        assert.deepEqual(await write(create, sample), {});
        assert.match((await refused(6, write(create, sample))).message, /integration already/);
        assert.deepEqual(await app.call(application.listIntegrations, { applicationID }), {
          totalCount: '1',
          result: [{ kind }],
        });
        assert.deepEqual(await clear(applicationID), sample);
        const shown = await read(kind, applicationID);
        assert.deepEqual(Object.keys(shown).sort(), Object.keys(sample).sort());
        assert.ok(!JSON.stringify(shown).includes('canary'));

        assert.deepEqual(await write(update, shown), {});
        assert.deepEqual(await clear(applicationID), sample, 'what was read and written back');
        assert.deepEqual(await app.call(remove, { applicationID } as object), {});
        await refused(5, app.call(get, { applicationID } as object));
        assert.deepEqual((await app.call(application.listIntegrations, { applicationID })).result, []);
      });
    }

    it('are listed by kind', async () => {
      const applicationID = await createApplication(app);
      for (const { kind } of kinds)
        await write(operationsOf(kind).create, { applicationID, ...sampleIntegrations[kind] });
      const { totalCount, result } = await app.call(application.listIntegrations, { applicationID });
      assert.equal(totalCount, '8');
      const expected = ['AWS_SNS', 'AZURE_SERVICE_BUS', 'GCP_PUBSUB', 'HTTP', 'INFLUXDB'];
      assert.deepEqual(
        result.map(({ kind }) => kind),
        [...expected, 'MYDEVICES', 'PILOT_THINGS', 'THINGSBOARD'],
      );
    });

    it('are copied with an application: suspended, without secrets, until somebody enters these', async () => {
      const from = await createApplication(app);
      for (const { kind } of kinds)
        await write(operationsOf(kind).create, { applicationID: from, ...sampleIntegrations[kind] });
      const { application: original } = await app.call(application.get, { id: from });
      const copy = { application: { ...original, name: 'copy' }, integrationsFrom: from };
      const { id: applicationID } = await app.call(application.create, copy);
      const shown = async () => {
        await app.parts.delivery.refresh();
        const { result } = await app.call(delivery.overview, { applicationID });
        return new Map(result.map(({ kind, state }) => [kind, state]));
      };
      assert.deepEqual(
        [...(await shown())],
        kinds.map(({ kind }) => [kind, 'SUSPENDED']).sort(([one], [other]) => (one! < other! ? -1 : 1)),
      );
      for (const { kind } of kinds) {
        const { secrets, config } = (await findIntegration(app.parts.database, Number(applicationID), kind))!;
        const before = (await findIntegration(app.parts.database, Number(from), kind))!;
        assert.deepEqual([secrets.length, config], [0, before.config], kind);
      }
      await write(operationsOf('INFLUXDB').update, { applicationID, ...sampleIntegrations.INFLUXDB });
      assert.equal((await shown()).get('INFLUXDB'), 'HEALTHY');
      assert.equal((await shown()).get('HTTP'), 'SUSPENDED');

      // A copy without them, and of an application that does not exist.
      const { id } = await app.call(application.create, { application: { ...original, name: 'bare' } });
      assert.equal((await app.call(application.listIntegrations, { applicationID: id })).totalCount, '0');
      const nowhere = { application: { ...original, name: 'nowhere' }, integrationsFrom: '999999999' };
      await refused(5, app.call(application.create, nowhere));
      // Only who administers the other application may copy its integrations.
      const { organizationID } = original;
      const foreign = await createApplication(app);
      const owner = await createUser(app, { organizations: [{ organizationID, isAdmin: true }] });
      const name = 'foreign';
      const stolen = { application: { ...original, name }, integrationsFrom: foreign };
      await refused(7, app.call(application.create, stolen, owner.token));
      const { result } = await app.call(application.list, { organizationID, search: name, limit: 1 });
      assert.deepEqual(result, []);
    });

    it('store no secret in plain text, and return none', async () => {
      const applicationID = await createApplication(app);
      for (const { kind } of kinds)
        await write(operationsOf(kind).create, { applicationID, ...sampleIntegrations[kind] });
      const rows = await app.parts.database.query.selectFrom('integration').selectAll().execute();
      const stored = rows.map((one) => `${JSON.stringify(one)} ${Buffer.from(one.secrets).toString('latin1')}`);
      assert.ok(rows.some((one) => one.secrets.length > 0));
      for (const text of [...stored, ...lines]) assert.ok(!text.includes('canary'), text.slice(0, 200));
      assert.ok(JSON.stringify(await loadConfigured(app.parts, Number(applicationID))).includes('canary-pilot-token'));
    });

    it('replace a written secret, keep one that is not given, and drop an empty one', async () => {
      const applicationID = await createApplication(app);
      const { create, update } = operationsOf('INFLUXDB');
      const sample = { applicationID, ...sampleIntegrations.INFLUXDB };
      await write(create, sample);
      await write(update, { ...sample, password: unchangedSecret, token: 'another canary' });
      const changed = await clear(applicationID);
      assert.deepEqual([changed['password'], changed['token']], ['canary-influx-password', 'another canary']);
      await write(update, { ...sample, password: '', token: unchangedSecret });
      assert.deepEqual((await clear(applicationID))['password'], '');
      assert.deepEqual((await read('INFLUXDB', applicationID))['password'], '');
      const { fieldViolations } = await refused(3, write(update, { ...sample, password: unchangedSecret }));
      assert.deepEqual(
        fieldViolations.map(({ field }) => field),
        ['integration.password'],
      );
    });

    it('mask header values by the names of their headers, in any order', async () => {
      const applicationID = await createApplication(app);
      const { create, update } = operationsOf('HTTP');
      const names = ['X-Auth', 'x-TOKEN', 'Api-Key', 'Secret', 'Cookie', 'Db-Password', 'Signature-1', 'X-Site'];
      const headers = names.map((key) => ({ key, value: `canary ${key}` }));
      await write(create, { applicationID, headers });
      const shown = (await read('HTTP', applicationID))['headers'] as typeof headers;
      const open = shown.filter(({ value }) => value !== unchangedSecret);
      assert.deepEqual(open, [{ key: 'X-Site', value: 'canary X-Site' }]);
      const other = [...shown.toReversed(), { key: 'X-New-Token', value: 'fresh' }].slice(2);
      await write(update, { applicationID, headers: other });
      assert.deepEqual((await clear(applicationID))['headers'], [
        ...headers.toReversed().slice(2),
        { key: 'X-New-Token', value: 'fresh' },
      ]);
      const renamed = [{ key: 'X-Other-Token', value: unchangedSecret }];
      const { fieldViolations } = await refused(3, write(update, { applicationID, headers: renamed }));
      assert.deepEqual(
        fieldViolations.map(({ field }) => field),
        ['integration.headers[0].value'],
      );
    });

    const addressed = kinds.flatMap(({ kind, config }) =>
      Object.entries(config.fields)
        .filter(([, { facts }]) => facts.pattern?.includes('https?'))
        .map(([field]) => ({ kind, field, hasSecrets: JSON.stringify(sampleIntegrations[kind]).includes('canary') })),
    );

    for (const { kind, field } of addressed.filter(({ hasSecrets }) => hasSecrets))
      it(`do not keep a stored secret for another server: ${kind}, ${field}`, async () => {
        const applicationID = await createApplication(app);
        const { create, update } = operationsOf(kind);
        const sample: Sample = { applicationID, ...sampleIntegrations[kind], [field]: 'https://first.example.org/a' };
        await write(create, sample);
        const shown = await read(kind, applicationID);
        const secrets = JSON.stringify(shown).split(unchangedSecret).length - 1;
        assert.ok(secrets > 0);
        const tested = (config: object) =>
          app.call(delivery.test, { applicationID, kind, configJSON: JSON.stringify(config) });
        const elsewhere = [
          'https://other.example.org/a',
          'http://first.example.org/a',
          'https://first.example.org:8443/',
        ];
        if (kind === 'HTTP') elsewhere.push('https://first.example.org/a,https://other.example.org/a');
        for (const address of elsewhere)
          for (const call of [(config: object) => write(update, config), tested]) {
            const { fieldViolations } = await refused(3, call({ ...shown, [field]: address }));
            assert.equal(fieldViolations.length, secrets, address);
            for (const { description } of fieldViolations) assert.match(description, /another server/);
          }
        assert.deepEqual(await clear(applicationID), sample);

        await write(update, { ...shown, [field]: 'https://first.example.org/b' });
        assert.deepEqual(await clear(applicationID), { ...sample, [field]: 'https://first.example.org/b' });
        await write(update, { ...sample, [field]: 'https://other.example.org/a' });
        assert.deepEqual(await clear(applicationID), { ...sample, [field]: 'https://other.example.org/a' });
      });

    it('remove the spaces of comma-separated lists', async () => {
      const applicationID = await createApplication(app);
      const eventEndpointURL = ' https://a.example.org/x?y=1 ,\n https://b.example.org ';
      await write(operationsOf('HTTP').create, { applicationID, eventEndpointURL });
      assert.equal(
        (await clear(applicationID))['eventEndpointURL'],
        'https://a.example.org/x?y=1,https://b.example.org',
      );
    });

    const wrong: readonly (readonly [IntegrationKindName, object, string])[] = [
      ['HTTP', { eventEndpointURL: 'ftp://example.org' }, 'eventEndpointURL'],
      ['HTTP', { eventEndpointURL: 'https://user:word@example.org' }, 'eventEndpointURL'],
      ['HTTP', { eventEndpointURL: 'https://example.org,example.net' }, 'eventEndpointURL'],
      ['HTTP', { uplinkDataURL: 'https://example.org:70000' }, 'uplinkDataURL'],
      ['HTTP', { headers: [{ key: 'X Y', value: '' }] }, 'headers[0].key'],
      ['HTTP', { headers: [{ key: '', value: 'x' }] }, 'headers[0].key'],
      ['HTTP', { headers: [{ key: 'hOst', value: 'x' }] }, 'headers[0].key'],
      ['HTTP', { headers: [{ key: 'Proxy-Foo', value: 'x' }] }, 'headers[0].key'],
      ['HTTP', { headers: [{ key: 'A', value: 'x\r\nB: y' }] }, 'headers[0].value'],
      [
        'HTTP',
        {
          headers: [
            { key: 'A', value: 'x' },
            { key: 'a', value: 'y' },
          ],
        },
        'headers[1].key',
      ],
      ['HTTP', { headers: Array.from({ length: 51 }, (_, at) => ({ key: `A${at}`, value: '' })) }, 'headers'],
      ['HTTP', { marshaler: 'XML' }, 'marshaler'],
      ['INFLUXDB', { endpoint: '' }, 'endpoint'],
      ['INFLUXDB', { endpoint: 'influx:8086' }, 'endpoint'],
      ['INFLUXDB', { precision: 'D' }, 'precision'],
      ['THINGSBOARD', { server: 'board.example.org' }, 'server'],
      ['MYDEVICES', { endpoint: '/uplink' }, 'endpoint'],
      ['PILOT_THINGS', { server: 'pilot' }, 'server'],
      ['GCP_PUBSUB', { credentialsFile: 'credentials.json' }, 'credentialsFile'],
      ['GCP_PUBSUB', { credentialsFile: '{"type":"authorized_user"}' }, 'credentialsFile'],
      ['GCP_PUBSUB', { projectID: '' }, 'projectID'],
      ['AWS_SNS', { region: 'europe' }, 'region'],
      ['AWS_SNS', { region: 'eu-west-2' }, 'topicARN'],
      ['AWS_SNS', { topicARN: 'arn:aws:sqs:eu-west-1:123456789012:lora' }, 'topicARN'],
      ['AWS_SNS', { secretAccessKey: '' }, 'secretAccessKey'],
      ['AZURE_SERVICE_BUS', { connectionString: 'Endpoint=sb://acme.servicebus.windows.net/' }, 'connectionString'],
      [
        'AZURE_SERVICE_BUS',
        { connectionString: 'Endpoint=sb://10.0.0.1/;SharedAccessKeyName=a;SharedAccessKey=b' },
        'connectionString',
      ],
      ['AZURE_SERVICE_BUS', { publishName: '../x?' }, 'publishName'],
      ['LORACLOUD', { dasModemPort: 256 }, 'dasModemPort'],
      ['PILOT_THINGS', { token: unchangedSecret }, 'token'],
    ];
    for (const [kind, change, field] of wrong) {
      it(`of kind ${kind} are refused with ${JSON.stringify(change).slice(0, 90)}`, async () => {
        const applicationID = await createApplication(app);
        const integration = { applicationID, ...sampleIntegrations[kind], ...change };
        const { fieldViolations } = await refused(3, write(operationsOf(kind).create, integration));
        assert.deepEqual(
          fieldViolations.map((one) => one.field),
          [`integration.${field}`],
        );
        assert.deepEqual((await app.call(application.listIntegrations, { applicationID })).result, []);
      });
    }

    it('need an existing application', async () => {
      for (const applicationID of ['999999', '99999999999999999'])
        for (const { kind } of kinds) {
          const { create, get } = operationsOf(kind);
          await refused(5, write(create, { applicationID, ...sampleIntegrations[kind] }));
          await refused(5, app.call(get, { applicationID } as object));
        }
    });

    it('publish each change, including their removal with the application or organization', async () => {
      const received: (number | undefined)[] = [];
      const end = await app.parts.bus.subscribe('integration-changed', '', ({ applicationID }) => {
        received.push(applicationID);
      });
      const organizationID = await createOrganization(app);
      const ids = [await createApplication(app, { organizationID }), await createApplication(app, { organizationID })];
      const [one, other] = ids as [string, string];
      const { create, update, remove } = operationsOf('MYDEVICES');
      const integration = (applicationID: string) => ({ applicationID, ...sampleIntegrations.MYDEVICES });
      await write(create, integration(one));
      const [first] = await loadConfigured(app.parts, Number(one));
      await write(update, integration(one));
      const [second] = await loadConfigured(app.parts, Number(one));
      assert.ok(second!.revision > first!.revision);
      await app.call(remove, { applicationID: one } as object);
      await refused(3, write(create, { applicationID: one, endpoint: '' }));
      assert.deepEqual(received, [one, one, one].map(Number));
      for (const id of ids) await write(create, integration(id));
      received.length = 0;
      await app.call(application.delete, { id: one });
      await app.call(organization.delete, { id: organizationID });
      end();
      assert.deepEqual(received, [one, other].map(Number));
      for (const id of ids) assert.deepEqual(await loadConfigured(app.parts, Number(id)), []);
    });
  });

  const owners: PrincipalName[] = ['organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey', 'applicationKey'];
  describeAccess(
    database,
    'integrations',
    kinds.flatMap(({ kind }) => {
      const { create, get, update, remove } = operationsOf(kind);
      /**
       * The access matrix uses keys of its own application, which must have none of the kind, or one, when a call
       * begins.
       */
      const prepared = async ({ app, applicationID }: { app: TestApp; applicationID: string }, exists: boolean) => {
        await app.call(remove, { applicationID } as object).catch(() => undefined);
        const integration = { applicationID, ...sampleIntegrations[kind] };
        if (exists) await app.call(create, { integration } as object);
        return integration;
      };
      return [
        row(create, async (side) => ({ integration: await prepared(side, false) }) as object, owners),
        row(get, async (side) => ({ applicationID: (await prepared(side, true)).applicationID }) as object, owners),
        row(update, async (side) => ({ integration: await prepared(side, true) }) as object, owners),
        row(remove, async (side) => ({ applicationID: (await prepared(side, true)).applicationID }) as object, owners),
      ];
    }),
  );
}

describe('HILLTOP_INTEGRATION_SECRETS', () => {
  it('returned makes reading an integration return its secrets, as older servers did', async () => {
    await using app = await startTestApp('sqlite', { integrationSecrets: 'returned' });
    const applicationID = await createApplication(app);
    const integration = { applicationID, ...sampleIntegrations.PILOT_THINGS };
    await app.call(application.createPilotThingsIntegration, { integration });
    assert.deepEqual(await app.call(application.getPilotThingsIntegration, { applicationID }), { integration });
  });
});
