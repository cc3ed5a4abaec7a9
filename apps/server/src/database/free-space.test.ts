import assert from 'node:assert/strict';
import type { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { lacksSpace } from './free-space.ts';

it('a disk with less than 1 MB of free space counts as full', async () => {
  const withBlocks = (bavail: number) => (async () => ({ bavail, bsize: 4096 })) as unknown as typeof statfs;
  assert.equal(await lacksSpace('/data', withBlocks(256)), false);
  assert.equal(await lacksSpace('/data', withBlocks(255)), true);
});

it('the free space of a real directory is read', async () => assert.equal(await lacksSpace(tmpdir()), false));
