import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConditionName, conditionOf, operations } from '@hilltop/contract';
import { admins, describeAccess, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createAPIKey, createOrganization, createUser } from '../../testing/factories.ts';
import { createDevice, createGateway, createSurroundings } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { attention, overview } = operations;
const hourMs = 3_600_000;

async function open(
  app: TestApp,
  condition: ConditionName,
  { subjectID, organizationID, rank = 0 }: { subjectID: string; organizationID: string; rank?: number },
): Promise<string> {
  const id = crypto.randomUUID();
  await app.parts.database.query
    .insertInto('condition')
    .values({
      ...{ id, condition, rank },
      subject_kind: conditionOf(condition).subject,
      subject_id: subjectID,
      organization_id: Number(organizationID),
      application_id: null,
      since: app.parts.clock.now().getTime() - hourMs,
      detail: '{"value":7}',
      snoozed_until: null,
    })
    .execute();
  return id;
}

for (const kind of databases) {
  describe(`attention on ${kind}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(kind);
    });
    after(() => app[Symbol.asyncDispose]());

    it('is listed worst first, by condition, with counts, and snoozed ones on request', async () => {
      const field = await createSurroundings(app);
      const { organizationID } = field;
      const [one, two, three] = [
        await createDevice(app, field, { name: 'one' }),
        await createDevice(app, field, { name: 'two' }),
        await createDevice(app, field, { name: 'three' }),
      ];
      const gatewayID = await createGateway(app, organizationID);
      assert.deepEqual(await app.call(attention.list, { organizationID, limit: 5 }), {
        counts: [],
        result: [],
        evaluatedAt: null,
        deviceCount: 3,
        gatewayCount: 1,
      });
      await open(app, 'LOW_BATTERY', { subjectID: one, organizationID, rank: 9 });
      await open(app, 'LOW_BATTERY', { subjectID: two, organizationID, rank: 2 });
      const worst = await open(app, 'LOW_BATTERY', { subjectID: three, organizationID, rank: 1 });
      await open(app, 'GATEWAY_OFFLINE', { subjectID: gatewayID, organizationID });
      await open(app, 'SINGLE_GATEWAY', { subjectID: gatewayID, organizationID });
      // Deleted since the last evaluation.
      await open(app, 'LOSS', { subjectID: 'a0000000000000f7', organizationID });

      const list = (request: object) => app.call(attention.list, { organizationID, limit: 2, ...request });
      const namesOf = ({ result }: Awaited<ReturnType<typeof list>>) =>
        result.map(({ condition, name, value }) => [condition, name, value]);
      const all = await list({});
      assert.deepEqual(namesOf(all), [
        ['GATEWAY_OFFLINE', `gateway-${gatewayID}`, 7],
        ['LOW_BATTERY', 'three', 7],
        ['LOW_BATTERY', 'two', 7],
        ['SINGLE_GATEWAY', `gateway-${gatewayID}`, 7],
      ]);
      assert.deepEqual(
        all.counts.map(({ condition, count }) => [condition, count]),
        [
          ['GATEWAY_OFFLINE', 1],
          ['LOSS', 1],
          ['LOW_BATTERY', 3],
          ['SINGLE_GATEWAY', 1],
        ],
      );
      await app.call(attention.snooze, { id: worst, time: 'DAY' });
      const without = await list({ condition: 'LOW_BATTERY' });
      assert.deepEqual(
        namesOf(without).map(([, name]) => name),
        ['two', 'one'],
      );
      const { count, snoozed } = without.counts.find(({ condition }) => condition === 'LOW_BATTERY')!;
      assert.deepEqual([count, snoozed], [2, 1]);
      const [first] = (await list({ condition: 'LOW_BATTERY', includeSnoozed: true })).result;
      assert.deepEqual([first!.name, Date.parse(first!.snoozedUntil!) > Date.now()], ['three', true]);
      assert.deepEqual(namesOf(await list({ condition: 'LOW_BATTERY', offset: 1 })), [['LOW_BATTERY', 'one', 7]]);

      const { attentionCount, hours } = await app.call(overview.get, { organizationID });
      assert.deepEqual([attentionCount, hours.length], [4, 193]);
      await app.call(attention.snooze, { id: worst, time: 'NONE' });
      assert.equal((await app.call(overview.get, { organizationID })).attentionCount, 5);

      const devices = await app.call(operations.device.list, {
        ...{ organizationID, limit: 10 },
        filter: ['condition:is:LOW_BATTERY|LOSS'],
      });
      assert.deepEqual(devices.result.map(({ name }) => name).toSorted(), ['one', 'three', 'two']);
      const lossOfOne = await open(app, 'LOSS', { subjectID: one, organizationID });
      const counts = await app.call(operations.deviceCount.get, { organizationID });
      assert.deepEqual([counts.all, counts.lost, counts.silent, counts.lowMargin], [3, 1, 0, 0]);
      const named = await app.call(operations.deviceCount.get, { organizationID, search: 'two' });
      assert.deepEqual([named.all, named.lost], [1, 0]);
      assert.deepEqual(namesOf(await list({ subjectID: one })), [
        ['LOSS', 'one', 7],
        ['LOW_BATTERY', 'one', 7],
      ]);
      await app.parts.database.query.deleteFrom('condition').where('id', '=', lossOfOne).execute();
      const gateways = await app.call(operations.gateway.list, {
        ...{ organizationID, limit: 10 },
        filter: ['condition:is:GATEWAY_OFFLINE'],
      });
      assert.deepEqual(
        gateways.result.map(({ id }) => id),
        [gatewayID],
      );
    });

    it('of the installation is for global administrators, who also see all organizations', async () => {
      await open(app, 'DISK_LOW', { subjectID: 'installation', organizationID: '0' });
      const { result } = await app.call(attention.list, { limit: 1 });
      assert.deepEqual(
        result.map(({ condition }) => condition),
        ['GATEWAY_OFFLINE', 'DISK_LOW', 'LOW_BATTERY', 'SINGLE_GATEWAY'],
      );
      const organizationID = await createOrganization(app);
      assert.deepEqual((await app.call(attention.list, { organizationID, limit: 1 })).result, []);
    });

    it('of API keys is for those who may list them', async () => {
      const organizationID = await createOrganization(app);
      const key = await createAPIKey(app, { organizationID });
      await open(app, 'KEY_EXPIRES', { subjectID: key.id, organizationID });
      const member = { organizationID, isDeviceAdmin: true, isGatewayAdmin: true };
      const others = await createUser(app, { organizations: [member] });
      const administrator = await createUser(app, { organizations: [{ organizationID, isAdmin: true }] });
      const seen = async (token: string) => {
        const { counts, result } = await app.call(attention.list, { organizationID, limit: 5 }, token);
        const { attentionCount } = await app.call(overview.get, { organizationID }, token);
        return [counts.length, result.length, attentionCount];
      };
      assert.deepEqual(await seen(others.token), [0, 0, 0]);
      assert.deepEqual(await seen(administrator.token), [1, 1, 1]);
    });

    it('is not snoozed when it is over', async () => {
      const id = crypto.randomUUID();
      await assert.rejects(app.call(attention.snooze, { id, time: 'DAY' }), { code: 5 });
    });
  });

  const writers = [
    'deviceAdmin',
    'gatewayAdmin',
    'organizationAdmin',
    'globalAdmin',
    'adminKey',
    'organizationKey',
  ] as const;
  describeAccess(kind, 'attention', [
    row(attention.list, ({ organizationID }) => ({ organizationID }), readers),
    row(attention.list, () => ({}), admins, admins),
    row(overview.get, ({ organizationID }) => ({ organizationID }), readers),
    row(
      attention.snooze,
      async ({ app, organizationID }) => ({
        id: await open(app, 'DISK_LOW', { subjectID: crypto.randomUUID(), organizationID }),
        time: 'DAY' as const,
      }),
      writers,
    ),
  ]);
}
