import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
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

    it('lists the addresses for gateways', async () => {
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

    it('lists an unknown gateway until it is registered', async () => {
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

    it('lets one of two organizations register a gateway at once, and the other keeps its quota', async () => {
      const id = 'b827ebfffe000008';
      const rivals = [
        await createOrganization(app, { maxGatewayCount: 1 }),
        await createOrganization(app, { maxGatewayCount: 1 }),
      ];
      const tries = await Promise.allSettled(rivals.map((rival) => createGateway(app, rival, id)));
      const lost = tries.findIndex(({ status }) => status === 'rejected');
      assert.deepEqual(tries.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal((tries[lost] as PromiseRejectedResult).reason.code, 6);
      await createGateway(app, rivals[lost]!);
    });

    it('limits a flood of made-up ids, which does not displace a gateway that keeps sending', async () => {
      await using real = await startGateway({ server: `127.0.0.1:${app.udpPort}`, gatewayID: 'b827ebfffe000009' });
      await real.sendStat();
      await real.sendStat();
      const socket = createSocket('udp4');
      for (let made = 0; made < 300; made += 1) {
        const header = [2, 0, 1, 2];
        const eui = [0xde, 0xad, 0, 0, 0, 0, made >> 8, made & 255];
        await new Promise((sent) => socket.send(Uint8Array.from([...header, ...eui]), app.udpPort, '127.0.0.1', sent));
      }
      socket.close();
      await real.sendStat();
      const { result } = await app.call(connecting.listUnknown, { organizationID });
      assert.ok(result.length <= 50);
      assert.ok(result.some(({ id }) => id === 'b827ebfffe000009'));
    });
  });

  const gatewayAdmins = [...admins, 'gatewayAdmin', 'organizationAdmin', 'organizationKey'] as const;
  describeAccess(database, 'connecting', [
    row(connecting.get, ({ organizationID }) => ({ organizationID }), gatewayAdmins),
    row(connecting.listUnknown, ({ organizationID }) => ({ organizationID }), gatewayAdmins),
  ]);
}
