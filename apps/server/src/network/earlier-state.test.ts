import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { createSecrets } from '../secrets.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { createNetworkState } from './state.ts';

const key = new Uint8Array(32).fill(7);
const secrets = createSecrets({ encryptionKey: key, tokenKey: key });
const devEUI = '0102030405060708';
const devAddr = '01020304';

for (const kind of databases) {
  describe(`network state of an earlier version on ${kind}`, () => {
    let database: Database & AsyncDisposable;
    before(async () => {
      database = await createTestDatabase(kind);
    });
    after(() => database[Symbol.asyncDispose]());

    for (const { stored, highest } of [
      { stored: 0, highest: null },
      { stored: 3, highest: 3 },
    ]) {
      it(`reads a session whose highest power index is ${stored}`, async () => {
        const sessionKey = { f: 'AA==', s: 'AA==', e: 'AA==', a: null };
        const keys = secrets.seal(Buffer.from(JSON.stringify(sessionKey)), 'ns_session.keys:a');
        const body = { id: 'a', devEUI, devAddr, nFCntDown: 5, minSupportedTxPowerIndex: 1 };
        const row = { network_server_id: 1, dev_eui: devEUI, role: 'current', id: 'a', revision: 0 } as const;
        await database.query.deleteFrom('ns_session').execute();
        await database.query
          .insertInto('ns_session')
          .values({
            ...row,
            dev_addr: devAddr,
            body: JSON.stringify({ ...body, maxSupportedTxPowerIndex: stored }),
            keys,
          })
          .execute();
        const { current } = await createNetworkState({ database, secrets, clock: systemClock }, 1).sessions(devEUI);
        const { lowestTxPowerIndex, highestTxPowerIndex, spent, itemsPassedOver, repeats, nFCntDown } = current!;
        assert.deepEqual(
          { lowestTxPowerIndex, highestTxPowerIndex, spent, itemsPassedOver, repeats, nFCntDown },
          {
            lowestTxPowerIndex: 1,
            highestTxPowerIndex: highest,
            spent: {},
            itemsPassedOver: 0,
            repeats: 0,
            nFCntDown: 5,
          },
        );
        assert.equal('maxSupportedTxPowerIndex' in current!, false);
      });
    }

    it('reads a queued item without a session as one for any session', async () => {
      const body = { id: 'x', devEUI, fCnt: 1, fPort: 2, frmPayload: 'AQ==', confirmed: true, isPending: false };
      const row = { network_server_id: 1, dev_eui: devEUI, id: 'x', f_cnt: 1, body: JSON.stringify(body) };
      await database.query.insertInto('ns_queue_item').values(row).execute();
      const [item] = await createNetworkState({ database, secrets, clock: systemClock }, 1).queue(devEUI);
      assert.deepEqual([item?.sessionID, item?.isForNextSession, item?.hasLeft], ['', false, false]);
    });
  });
}
