import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createNetworkState } from '../network/state.ts';
import { loadSecrets } from '../secrets.ts';
import { createTestStorage, databases } from '../testing/databases.ts';
import { createDevice, createGateway, createMulticastGroup, createSurroundings, nwkKey } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';

const keys = {
  appSKey: 'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf',
  nwkSEncKey: 'b0b1b2b3b4b5b6b7b8b9babbbcbdbebf',
  sNwkSIntKey: 'b0b1b2b3b4b5b6b7b8b9babbbcbdbebf',
  fNwkSIntKey: 'b0b1b2b3b4b5b6b7b8b9babbbcbdbebf',
};

const groupKeys = {
  mcNwkSKey: 'c0c1c2c3c4c5c6c7c8c9cacbcccdcecf',
  mcAppSKey: 'd0d1d2d3d4d5d6d7d8d9dadbdcdddedf',
};

/** The encodings in which a key may be stored: raw, hexadecimal, base64, JSON of bytes. */
function spellings(hex: string): Buffer[] {
  const bytes = Buffer.from(hex, 'hex');
  const texts = [hex, hex.toUpperCase(), bytes.toString('base64').replaceAll('=', ''), bytes.join(',')];
  return [bytes, ...texts.map((text) => Buffer.from(text))];
}

for (const kind of databases) {
  describe(`keys at rest on ${kind}`, () => {
    it('are readable in no row, and cannot be decrypted in another row', async () => {
      await using app = await startTestApp(kind);
      const { database } = app.parts;
      const surroundings = await createSurroundings(app);
      await createGateway(app, surroundings.organizationID);
      await createMulticastGroup(app, { ...groupKeys, applicationID: surroundings.applicationID });
      const [a, b] = [await createDevice(app, surroundings), await createDevice(app, surroundings)];
      for (const [devEUI, devAddr] of [[a, '01020304'] as const, [b, '01020305'] as const])
        await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr, ...keys } });

      const tables = await database.query.introspection.getTables({ withInternalKyselyTables: false });
      const wanted = [...new Set([nwkKey, ...Object.values(keys), ...Object.values(groupKeys)])].flatMap(spellings);
      for (const { name } of tables.filter((table) => !table.name.includes('_search'))) {
        const rows = await database.query
          .selectFrom(name as 'device')
          .selectAll()
          .execute();
        for (const value of rows.flatMap((row) => Object.values(row as object) as unknown[])) {
          const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(JSON.stringify(value) ?? '');
          assert.ok(!wanted.some((spelling) => bytes.includes(spelling)), `a key can be read in ${name}`);
        }
      }
      const { body } = await database.query
        .selectFrom('ns_record')
        .select('body')
        .where('kind', '=', 'device')
        .where('id', '=', a)
        .executeTakeFirstOrThrow();
      assert.ok(!Buffer.from(body).includes(a), 'a record can be read');

      const of = (devEUI: string) => app.call(operations.device.getActivation, { devEUI });
      const fresh = () => createNetworkState(app.parts, 1);
      assert.equal((await of(b)).deviceActivation.appSKey, keys.appSKey);
      assert.ok(await fresh().get('device', b));
      const { keys: sealed } = await database.query
        .selectFrom('ns_session')
        .select('keys')
        .where('dev_eui', '=', a)
        .executeTakeFirstOrThrow();
      await database.query.updateTable('ns_session').set({ keys: sealed }).where('dev_eui', '=', b).execute();
      await assert.rejects(of(b));
      await database.query
        .updateTable('ns_record')
        .set({ body })
        .where('kind', '=', 'device')
        .where('id', '=', b)
        .execute();
      await assert.rejects(fresh().get('device', b));

      const rootKeys = (devEUI: string) => app.call(operations.device.getKeys, { devEUI });
      assert.equal((await rootKeys(b)).deviceKeys.nwkKey, nwkKey);
      const { nwk_key } = await database.query
        .selectFrom('device_keys')
        .select('nwk_key')
        .where('dev_eui', '=', a)
        .executeTakeFirstOrThrow();
      await database.query.updateTable('device_keys').set({ nwk_key }).where('dev_eui', '=', b).execute();
      await assert.rejects(rootKeys(b));
    });

    it('cannot be decrypted with the key of another installation', async () => {
      await using testStorage = await createTestStorage(kind);
      await using app = await startTestApp(kind);
      const devEUI = await createDevice(app, await createSurroundings(app));
      const secrets = await loadSecrets(testStorage.dataDir);
      await assert.rejects(createNetworkState({ ...app.parts, secrets }, 1).get('device', devEUI));
    });
  });
}
