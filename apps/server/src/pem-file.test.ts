import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { watchFiles } from './pem-file.ts';

it('a file that is written anew is noticed, until nobody wants to know', { timeout: 20_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'hilltop-watch-'));
  const file = join(directory, 'cert.pem');
  await writeFile(file, 'old');
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = watchFiles([file], 20, resolve);
  // The first look may come after the first writing.
  const writing = setInterval(() => void writeFile(file, `new ${performance.now()}`), 50);
  await promise;
  clearInterval(writing);
  stop();
  await rm(directory, { recursive: true });
});
