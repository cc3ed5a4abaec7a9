import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { watchFiles } from './pem-file.ts';

it('a file that is written anew is noticed, until nobody wants to know', { timeout: 20_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'hilltop-watch-'));
  const file = join(directory, 'cert.pem');
  await writeFile(file, 'old');
  const first = Promise.withResolvers<void>();
  let noticed = 0;
  const stop = watchFiles([file], 20, () => {
    noticed += 1;
    first.resolve();
  });
  // The first look may come after the first writing.
  const writing = setInterval(() => void writeFile(file, `new ${performance.now()}`), 50);
  await first.promise;
  stop();
  const before = noticed;
  // Of one file all watchers are called at the same look, the earliest first.
  const second = Promise.withResolvers<void>();
  const stopSecond = watchFiles([file], 20, second.resolve);
  await second.promise;
  clearInterval(writing);
  stopSecond();
  assert.equal(noticed, before);
  await rm(directory, { recursive: true });
});
