import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StartError, startFailure } from '../start-error.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { postgres } from './postgres.ts';
import { isStorageFailure } from './storage-failure.ts';

describe('a failure of storage', () => {
  for (const kind of databases) {
    it(`is distinguished from an invalid statement on ${kind}`, async () => {
      await using database = await createTestDatabase(kind);
      const insert = () =>
        database.query.insertInto('ns_journal').values({ network_server_id: 1, copy: 'x' }).execute();
      const faults = [
        database.query
          .selectFrom('user')
          .select('nothing' as 'id')
          .execute(),
        database.query
          .insertInto('session')
          .values({} as never)
          .execute(),
      ];
      for (const fault of await Promise.allSettled(faults)) {
        assert.equal(fault.status, 'rejected');
        assert.equal(isStorageFailure(fault.status === 'rejected' && fault.reason), false);
      }
      const readOnly = kind === 'sqlite' ? 'pragma query_only = on' : 'set transaction read only';
      const refused = database.transaction(async () => {
        await database.query.executeQuery({ sql: readOnly, parameters: [], query: { kind: 'RawNode' } } as never);
        await insert();
      });
      await assert.rejects(refused, isStorageFailure);
    });
  }

  it('includes an unreachable PostgreSQL and a full disk', async () => {
    const engine = postgres('postgres://nobody@127.0.0.1:1/none');
    await assert.rejects(engine.kysely.selectFrom('user').select('id').execute(), isStorageFailure);
    await engine.kysely.destroy();
    assert.ok(isStorageFailure(Object.assign(new Error('disk full'), { code: '53100' })));
    assert.ok(isStorageFailure(new Error('outer', { cause: Object.assign(new Error('full'), { errcode: 13 }) })));
    assert.equal(isStorageFailure(new TypeError('x is undefined')), false);
    assert.equal(isStorageFailure(Object.assign(new Error('bad text'), { code: '22P05' })), false);
  });

  it('names the full disk, and what to do, when it prevents a start', async () => {
    const full = new Error('outer', { cause: Object.assign(new Error('database or disk is full'), { errcode: 13 }) });
    const own = await startFailure(full, { data: '/var/lib/hilltop', databaseURL: '' });
    assert.match((own as Error).message, /disk of \/var\/lib\/hilltop \(HILLTOP_DATA\) is full: free some space/);
    const remote = await startFailure(full, { data: './data', databaseURL: 'postgres://u:hidden@127.0.0.1/x' });
    assert.match((remote as Error).message, /disk of the database at HILLTOP_DATABASE_URL is full/);
    const other = new Error('other');
    assert.equal(await startFailure(other, { data: '', databaseURL: '' }), other);
  });

  it('names the full disk also when SQLite reports another failure of a file', async () => {
    const failure = (errcode: number) =>
      new StartError('cannot be used: disk I/O error', {
        cause: Object.assign(new Error('disk I/O error'), { errcode }),
      });
    const config = { data: '/var/lib/hilltop', databaseURL: '' };
    /** SQLITE_IOERR_SHMSIZE. */
    const noSharedMemory = failure(4874);
    const full = await startFailure(noSharedMemory, config, async () => true);
    assert.match((full as Error).message, /disk of \/var\/lib\/hilltop \(HILLTOP_DATA\) is full: free some space/);
    assert.equal(await startFailure(noSharedMemory, config, async () => false), noSharedMemory);
    assert.equal(
      await startFailure(noSharedMemory, config, () => Promise.reject(new Error('no statfs'))),
      noSharedMemory,
    );
  });

  it('names a damaged database, and what to do, when it prevents a start', async () => {
    const damage = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
    const explained = await startFailure(damage, { data: '/var/lib/hilltop', databaseURL: '' });
    assert.match(
      (explained as Error).message,
      /database in \/var\/lib\/hilltop .* is damaged: .* restore the last backup/,
    );
  });
});
