import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JoinRequest } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { createSecrets } from '../secrets.ts';
import { databases } from '../testing/databases.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import { createJoinServer } from './join-server.ts';
import { sealRootKeys } from './root-keys.ts';

const devEUI = '0a1b2c3d4e5f6071';
const bytes = (hex: string) => Uint8Array.fromHex(hex);
const key = new Uint8Array(32).fill(3);
const secrets = createSecrets({ encryptionKey: key, tokenKey: key });
const keys = {
  nwkKey: bytes('000102030405060708090a0b0c0d0e0f'),
  appKey: bytes('101112131415161718191a1b1c1d1e1f'),
};

const request = (dlSettings: Partial<JoinRequest['dlSettings']>): JoinRequest => ({
  joinType: 'join',
  phyPayload: bytes('00010000d07ed5b37071605f4e3d2c1b0a3412eb23f91e'),
  devEUI,
  joinEUI: '70b3d57ed0000001',
  devNonce: 0x1234,
  macVersion: '1.0.3',
  netID: '000013',
  devAddr: '26012345',
  dlSettings: { optNeg: false, rx1DROffset: 0, rx2DataRate: 3, ...dlSettings },
  rxDelay: 1,
  cFList: null,
});

/** Stores the keys of the vectors, with six used nonces. */
async function storeKeys({ query }: Database): Promise<void> {
  const row = { ...sealRootKeys(secrets, devEUI, keys), join_nonce: 6 };
  await query.updateTable('device_keys').set(row).where('dev_eui', '=', devEUI).execute();
}

for (const kind of databases) {
  describe(`join-server on ${kind}`, () => {
    const open = async () => {
      const app = await startTestApp(kind);
      await createDevice(app, await createSurroundings(app), { devEUI });
      const { database } = app.parts;
      await storeKeys(database);
      const nonce = async () =>
        (await database.query.selectFrom('device_keys').select('join_nonce').executeTakeFirstOrThrow()).join_nonce;
      return { app, database, nonce, server: createJoinServer({ database, secrets }) };
    };

    it('answers a 1.0 join', async () => {
      const { app, server, nonce } = await open();
      await using _ = app;
      const answer = await server.join(request({}));
      assert.ok(answer.result === 'Success');
      assert.equal(answer.phyPayload.toHex(), '200190a03994e05cc947809435a26438de');
      assert.equal(answer.fNwkSIntKey.toHex(), '2d13898ea763059d8acdfe65f15f3233');
      assert.equal(answer.nwkSEncKey.toHex(), '2d13898ea763059d8acdfe65f15f3233');
      assert.equal(answer.appSKey.aesKey.toHex(), '04d3df89c8a14f26ace47e8242616a6f');
      assert.equal(await nonce(), 7);
    });

    it('answers a 1.1 join', async () => {
      const { app, server } = await open();
      await using _ = app;
      const answer = await server.join(request({ optNeg: true }));
      assert.ok(answer.result === 'Success');
      assert.equal(answer.phyPayload.toHex(), '2099a7d9d56a835c5a0e06d5fda2aab70f');
      assert.equal(answer.fNwkSIntKey.toHex(), '2362f94247e5d9e68c729dc54e85b332');
      assert.equal(answer.sNwkSIntKey.toHex(), '8b87e5094384aecbfadab145c6bd5e61');
      assert.equal(answer.nwkSEncKey.toHex(), '78bd5ec61b310c728c5393b18692af0b');
      assert.equal(answer.appSKey.aesKey.toHex(), '504b3cf823e8a6eda5363d1bd536075f');
    });

    it('uses up a nonce on a wrong MIC too, and never uses one twice', async () => {
      const { app, server, nonce } = await open();
      await using _ = app;
      const forged = { ...request({}), phyPayload: bytes('00010000d07ed5b37071605f4e3d2c1b0a3412eb23f91f') };
      assert.equal((await server.join(forged)).result, 'MICFailed');
      assert.equal(await nonce(), 7);
      const answers = await Promise.all([1, 2, 3].map(() => server.join(request({}))));
      const accepts = answers.map((one) => (one.result === 'Success' ? one.phyPayload.toHex() : one.result));
      assert.equal(new Set(accepts).size, 3);
      assert.equal(await nonce(), 10);
    });

    it('refuses a join without keys, or when the nonces are used up', async () => {
      const { app, database, server } = await open();
      await using _ = app;
      await database.query
        .updateTable('device_keys')
        .set({ join_nonce: 2 ** 24 - 1 })
        .execute();
      assert.equal((await server.join(request({}))).result, 'KeysMissing');
      await database.query.deleteFrom('device_keys').execute();
      assert.equal((await server.join(request({}))).result, 'KeysMissing');
    });
  });
}
