import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { settings } from '../config.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { createTestStorage, databases } from '../testing/databases.ts';
import { importAll } from './import.ts';
import type { PassMemory } from './migrate/import-pass.ts';
import { createRowDigests } from './target/row-digests.ts';
import { fillVersion3, fixture } from './testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const context = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };

describe('passes of one process', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
  });
  after(() => v3[Symbol.asyncDispose]());

  const join = (id: number, devNonce: number) =>
    v3.insert('ns', 'device_activation', {
      id,
      dev_eui: Buffer.from(fixture.devEUI, 'hex'),
      join_eui: Buffer.from(fixture.joinEUI, 'hex'),
      dev_addr: Buffer.from(fixture.devAddr, 'hex'),
      dev_nonce: devNonce,
      join_req_type: 255,
    });

  for (const kind of databases)
    it(`import each join between them, whatever its number, on ${kind}`, async () => {
      await v3.query('ns', 'delete from device_activation');
      for (const id of [100, 101, 103]) await join(id, id);
      await using testStorage = await createTestStorage(kind);
      const config = settings.parse({
        data: testStorage.dataDir,
        databaseURL: testStorage.databaseURL,
        logLevel: 'silent',
      });
      const storage = await openStorage(config, createLog(config));
      const memory: PassMemory = { rows: createRowDigests() };
      const pass = async (isFinal: boolean) => {
        const choice = {
          config: v3.config,
          networkServerConfigs: [v3.networkServerConfig],
          downlinkMargin: 1,
          isFinal,
        };
        const { counts } = await importAll(choice, { ...storage, config }, context, memory);
        const { inV3, new: fresh, same } = counts.find(({ what }) => what === 'join nonces')!;
        return { inV3, fresh, same };
      };
      const nonces = async () => {
        const rows = await storage.database.query.selectFrom('ns_activation').select('dev_nonce').execute();
        return rows.map((row) => row.dev_nonce).toSorted((one, other) => one - other);
      };
      assert.deepEqual(await pass(false), { inV3: 3, fresh: 3, same: 0 });
      await join(104, 104);
      assert.deepEqual(await pass(false), { inV3: 4, fresh: 1, same: 3 });
      // A transaction that got its number early and was committed late.
      await join(102, 102);
      await join(105, 105);
      assert.deepEqual(await pass(true), { inV3: 6, fresh: 2, same: 4 });
      assert.deepEqual(await nonces(), [100, 101, 102, 103, 104, 105]);
      await storage.close();
    });
});
