import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { walFlush } from './wal-flush.ts';

it('lets what is on its way to the disk arrive before it closes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hilltop-'));
  await writeFile(join(folder, 'some.db-wal'), '');
  const log = walFlush(join(folder, 'some.db'));
  // All threads that could go to the disk have something else to do.
  const busy = Array.from({ length: 8 }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pbkdf2('', '', 50_000, 32, 'sha256', () => resolve());
    return promise;
  });
  let flushed = 0;
  for (const flush of [log.flush(), log.flush()]) void flush.then(() => (flushed += 1));
  await log.close();
  assert.equal(flushed, 2);
  await Promise.all(busy);
  await rm(folder, { recursive: true });
});
