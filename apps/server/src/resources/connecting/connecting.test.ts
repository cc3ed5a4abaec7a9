import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { startGateway } from '@hilltop/simulator';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createOrganization } from '../../testing/factories.ts';
import { createGateway } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { connecting } = operations;
const gatewayID = 'b827ebfffe000007';

for (const database of databases) {
  describe(`connecting on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    before(async () => {
      app = await startTestApp(database, { basicsStation: '127.0.0.1:0', mqtt: '127.0.0.1:0' });
      organizationID = await createOrganization(app);
    });
    after(() => app[Symbol.asyncDispose]());

    it('tells where gateways send to', async () => {
      const { result } = await app.call(connecting.get, { organizationID });
      assert.deepEqual(
        result.map(({ link, isSecure, isLocal, needsProof }) => ({ link, isSecure, isLocal, needsProof })),
        [
          { link: 'SEMTECH_UDP', isSecure: false, isLocal: true, needsProof: false },
          { link: 'BASICS_STATION', isSecure: false, isLocal: true, needsProof: false },
          { link: 'MQTT', isSecure: false, isLocal: true, needsProof: true },
        ],
      );
    });

    it('lists a gateway that knocks until it is registered', async () => {
      const unknown = async () => (await app.call(connecting.listUnknown, { organizationID })).result;
      assert.deepEqual(await unknown(), []);
      await using gateway = await startGateway({ server: `127.0.0.1:${app.udpPort}`, gatewayID });
      await gateway.sendStat();
      const [one] = await unknown();
      assert.deepEqual([one?.id, one?.link], [gatewayID, 'SEMTECH_UDP']);
      assert.ok(one && one.times >= 1 && one.lastAt && one.firstAt);

      await createGateway(app, organizationID, gatewayID);
      assert.deepEqual(await unknown(), []);
    });
  });

  const gatewayAdmins = [...admins, 'gatewayAdmin', 'organizationAdmin', 'organizationKey'] as const;
  describeAccess(database, 'connecting', [
    row(connecting.get, ({ organizationID }) => ({ organizationID }), gatewayAdmins),
    row(connecting.listUnknown, ({ organizationID }) => ({ organizationID }), gatewayAdmins),
  ]);
}
