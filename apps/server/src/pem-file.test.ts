import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readPair, readPEM, watchFiles } from './pem-file.ts';

describe('a PEM file', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hilltop-pem-'));
  });
  after(() => rm(directory, { recursive: true }));

  async function fileWith(name: string, text: string): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, text);
    return path;
  }

  it('is read, unless it is missing or not PEM', async () => {
    const text = '-----BEGIN CERTIFICATE-----';
    assert.equal((await readPEM('HILLTOP_X', await fileWith('good.pem', text))).toString(), text);
    await assert.rejects(readPEM('HILLTOP_X', join(directory, 'missing.pem')), {
      message: `The file ${directory}/missing.pem (HILLTOP_X) cannot be read (ENOENT).`,
    });
    await assert.rejects(readPEM('HILLTOP_X', await fileWith('bad.pem', 'text')), /\(HILLTOP_X\) is not a PEM file\./);
  });

  it('is read with its key: none is set, or both are set and match', async () => {
    const pem = await fileWith('broken.pem', '-----BEGIN CERTIFICATE-----');
    const pairOf = (cert: string, key: string) => readPair(['HILLTOP_CERT', cert], ['HILLTOP_KEY', key]);
    assert.equal(await pairOf('', ''), undefined);
    for (const [cert, key] of [
      [pem, ''],
      ['', pem],
    ] as const)
      await assert.rejects(pairOf(cert, key), /HILLTOP_CERT and HILLTOP_KEY must both name a file\./);
    await assert.rejects(pairOf(pem, pem), /HILLTOP_CERT and HILLTOP_KEY cannot be used/);
  });

  it('is reported when it changes, until watching stops', async () => {
    const file = await fileWith('watched.pem', 'old');
    let version = 0;
    // The watcher may check for the first time after the first write.
    const writing = setInterval(() => void writeFile(file, `new ${(version += 1)}`), 50);
    const first = Promise.withResolvers<void>();
    let reports = 0;
    const stop = watchFiles([file], 20, () => {
      reports += 1;
      first.resolve();
    });
    await first.promise;
    assert.ok(reports > 0);
    stop();
    const reportsAtStop = reports;
    // All watchers of a file are called in the same check, the earliest first.
    const second = Promise.withResolvers<void>();
    const stopSecond = watchFiles([file], 20, second.resolve);
    await second.promise;
    clearInterval(writing);
    stopSecond();
    assert.equal(reports, reportsAtStop);
  });
});
