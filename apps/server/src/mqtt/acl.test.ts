import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createAPIKey } from '../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext } from '../testing/field.ts';
import {
  brokerSettings,
  connectMQTT,
  goOfflineAndOnline,
  happen,
  type Subscriber,
  subscribe,
  urlOf,
} from '../testing/mqtt.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

/** Two applications of one organization and one of another. */
const sides = ['own', 'neighbour', 'foreign'] as const;
type Side = (typeof sides)[number];

const principals: Record<string, readonly Side[]> = {
  certificate: ['own'],
  applicationKey: ['own'],
  organizationKey: ['own', 'neighbour'],
  adminKey: ['own', 'neighbour', 'foreign'],
};

/** The organizations whose events of gateways they receive. */
const hearsGateways: Record<string, readonly ('own' | 'foreign')[]> = {
  certificate: [],
  applicationKey: [],
  organizationKey: ['own'],
  adminKey: ['foreign', 'own'],
};

for (const protocolVersion of [4, 5] as const)
  describe(`topic rights in version ${protocolVersion}`, () => {
    const refused = protocolVersion === 5 ? 0x87 : 128;
    let app: TestApp;
    let places: Record<Side, FieldContext & { devEUI: string }>;
    /** Of the own organization and of the foreign one. */
    const gateways = { own: '', foreign: '' };
    const connecting: Record<string, () => Promise<Subscriber>> = {};
    before(async () => {
      app = await startTestApp('sqlite', brokerSettings);
      const own = await createSurroundings(app);
      const neighbour = await createSurroundings(app, {}, { organizationID: own.organizationID });
      const withDevice = async (one: FieldContext) => ({ ...one, devEUI: await createDevice(app, one) });
      const foreign = await createSurroundings(app);
      places = {
        own: await withDevice(own),
        neighbour: await withDevice(neighbour),
        foreign: await withDevice(foreign),
      };
      const { applicationID, organizationID } = own;
      gateways.own = await createGateway(app, organizationID);
      gateways.foreign = await createGateway(app, foreign.organizationID);
      const made = await app.call(operations.application.generateMQTTIntegrationClientCertificate, { applicationID });
      connecting.certificate = () =>
        connectMQTT(urlOf(app, 'tls'), { protocolVersion, ca: made.caCert, cert: made.tlsCert, key: made.tlsKey });
      const scopes = {
        applicationKey: { applicationID },
        organizationKey: { organizationID },
        adminKey: { isAdmin: true },
      };
      for (const [name, scope] of Object.entries(scopes)) {
        const { token: password } = await createAPIKey(app, scope);
        connecting[name] = () => connectMQTT(urlOf(app), { protocolVersion, username: 'x', password });
      }
    });
    after(() => app[Symbol.asyncDispose]());

    const filtersOf = ({ applicationID, devEUI }: FieldContext & { devEUI: string }) => [
      `application/${applicationID}/#`,
      `application/${applicationID}/device/${devEUI}/event/up`,
      `application/${applicationID}/device/+/event/+`,
      `+/${applicationID}/+/${devEUI}/+/+`,
      `application/${applicationID}/device/${devEUI}/command/down`,
    ];

    it('a key that may only read subscribes and sends nothing, one that may send does both', async () => {
      const { applicationID, devEUI } = places.own;
      const topic = `application/${applicationID}/device/${devEUI}/command/down`;
      for (const access of ['READ', 'READ_AND_SEND'] as const) {
        const { id, token: password } = await createAPIKey(app, { applicationID });
        await app.parts.database.query.updateTable('api_key').set({ access }).where('id', '=', id).execute();
        await using someone = await connectMQTT(urlOf(app), { protocolVersion, username: 'x', password });
        assert.deepEqual(await subscribe(someone.client, `application/${applicationID}/#`), [0]);
        const publishing = someone.client.publishAsync(topic, '{"fPort":1,"data":"AQ=="}', { qos: 1 });
        publishing.catch(() => undefined);
        if (protocolVersion === 5) await assert.rejects(publishing, { code: access === 'READ' ? 0x87 : 0x83 });
        else if (access === 'READ') await someone.closed;
        else await publishing;
      }
      const { id, token: password } = await createAPIKey(app, { organizationID: places.own.organizationID });
      await app.parts.database.query.updateTable('api_key').set({ access: 'READ' }).where('id', '=', id).execute();
      const gateway = connectMQTT(urlOf(app), { protocolVersion, username: gateways.own, password });
      await assert.rejects(gateway, { code: protocolVersion === 5 ? 0x87 : 5 });
    });

    for (const [name, allowed] of Object.entries(principals)) {
      for (const side of sides)
        it(`${name} ${allowed.includes(side) ? 'may' : 'may not'} subscribe to the ${side} application`, async () => {
          await using someone = await connecting[name]!();
          const filters = filtersOf(places[side]);
          const expected = filters.map(() => (allowed.includes(side) ? 0 : refused));
          assert.deepEqual(await subscribe(someone.client, filters), expected);
        });

      it(`${name} receives only events of its own application through wildcard filters`, async () => {
        for (const filter of ['#', 'application/+/device/+/event/up', '+/+/+/+/event/#']) {
          await using someone = await connecting[name]!();
          assert.deepEqual(await subscribe(someone.client, filter), [0]);
          // The own application comes last, so that no other event can arrive afterwards.
          for (const side of ['foreign', 'neighbour', 'own'] as const) await happen(app, places[side].devEUI, 'up', {});
          const expected = ['foreign', 'neighbour', 'own'].filter((side) => allowed.includes(side as Side));
          for (const side of expected as Side[])
            assert.ok((await someone.next()).topic.includes(`/device/${places[side].devEUI}/`), `${filter} ${side}`);
        }
      });

      it(`${name} sends commands to its own application only`, async () => {
        for (const side of sides) {
          await using someone = await connecting[name]!();
          const { applicationID, devEUI } = places[side];
          const topic = `application/${applicationID}/device/${devEUI}/command/down`;
          const publishing = someone.client.publishAsync(topic, '{"fPort":1,"data":"AQ=="}', { qos: 1 });
          publishing.catch(() => undefined);
          // The device has no session: the command is allowed but cannot become a downlink.
          if (allowed.includes(side) && protocolVersion === 5) await assert.rejects(publishing, { code: 0x83 });
          else if (allowed.includes(side)) await publishing;
          else if (protocolVersion === 5) await assert.rejects(publishing, { code: 0x87 });
          // The client may not connect again, so an unacknowledged message would stay open.
          else await someone.closed;
        }
      });

      const hears = hearsGateways[name]!;

      it(`${name} ${hears.length > 0 ? 'may' : 'may not'} subscribe to events of gateways`, async () => {
        await using someone = await connecting[name]!();
        for (const side of ['own', 'foreign'] as const) {
          const { organizationID } = places[side];
          const expected = hears.includes(side) ? 0 : refused;
          const topics = [`organization/${organizationID}/#`, `organization/${organizationID}/gateway/+/event/offline`];
          topics.push(`+/${organizationID}/+/${gateways[side]}/event/stats`);
          assert.deepEqual(
            await subscribe(someone.client, topics),
            topics.map(() => expected),
          );
          assert.deepEqual(await subscribe(someone.client, `organization/${organizationID}/gateway/+/event/up`), [
            refused,
          ]);
        }
      });

      it(`${name} receives only events of gateways of its own organization`, async () => {
        await using someone = await connecting[name]!();
        assert.deepEqual(await subscribe(someone.client, '#'), [0]);
        for (const side of ['foreign', 'own'] as const) await goOfflineAndOnline(app, gateways[side]);
        // Comes last: every principal receives it.
        await happen(app, places.own.devEUI, 'up', {});
        const topics = hears.flatMap((side) => {
          const events = `organization/${places[side].organizationID}/gateway/${gateways[side]}/event`;
          return [`${events}/offline`, `${events}/online`];
        });
        topics.push(`application/${places.own.applicationID}/device/${places.own.devEUI}/event/up`);
        for (const topic of topics) assert.equal((await someone.next()).topic, topic);
      });

      it(`${name} gets no filter that cannot match any topic`, async () => {
        await using someone = await connecting[name]!();
        const filters = [
          '$SYS/#',
          'x',
          'application',
          'application/1/device',
          'gateway/#',
          'application/0/#',
          '$share/a/#',
        ];
        filters.push(`application/${places.own.applicationID}/device/+/event/nothing`);
        assert.deepEqual(
          await subscribe(someone.client, filters),
          filters.map((filter) => (protocolVersion === 5 && filter.startsWith('$share') ? 0x9e : refused)),
        );
      });
    }
  });
