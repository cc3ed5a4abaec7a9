import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { type WalFlush, walFlush } from './wal-flush.ts';

/** Whether the promise is settled after all due work. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await nextIteration();
  return done;
}

describe('the flush of the write-ahead log', () => {
  let folder: string;
  let log: WalFlush;
  /** Files that are being synced, and functions that end the syncs. */
  let syncs: { file: number; end: () => void }[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hilltop-'));
    await writeFile(join(folder, 'some.db-wal'), '');
    syncs = [];
    mock.method(fs, 'fdatasync', (file: number, callback: (error: null) => void) => {
      syncs.push({ file, end: () => callback(null) });
    });
    syncBuiltinESMExports();
    log = walFlush(join(folder, 'some.db'));
  });
  afterEach(async () => {
    mock.restoreAll();
    syncBuiltinESMExports();
    await rm(folder, { recursive: true });
  });

  it('resolves when the log file is synced, not before', async () => {
    const flushed = log.flush();
    assert.equal(await isDone(flushed), false);
    assert.equal(fs.fstatSync(syncs[0]!.file).ino, fs.statSync(join(folder, 'some.db-wal')).ino);
    syncs[0]!.end();
    assert.equal(await isDone(flushed), true);
    await log.close();
  });

  it('syncs once more for all calls that arrive during a sync', async () => {
    const first = log.flush();
    const later = [log.flush(), log.flush()];
    assert.equal(syncs.length, 1);
    syncs[0]!.end();
    assert.equal(await isDone(first), true);
    for (const flushed of later) assert.equal(await isDone(flushed), false);
    assert.equal(syncs.length, 2);
    syncs[1]!.end();
    for (const flushed of later) assert.equal(await isDone(flushed), true);
    await log.close();
  });

  it('finishes all flushes before it closes the file', async () => {
    const flushes = [log.flush(), log.flush()];
    const closed = log.close();
    assert.equal(await isDone(closed), false);
    syncs[0]!.end();
    assert.equal(await isDone(closed), false);
    syncs[1]!.end();
    await Promise.all([closed, ...flushes]);
    assert.throws(() => fs.fstatSync(syncs[0]!.file), { code: 'EBADF' });
  });
});
