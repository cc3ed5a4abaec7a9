import assert from 'node:assert/strict';
import type { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { checkFreeSpace } from './free-space.ts';

it('a disk with less than 1 MB of free space counts as full', async () => {
  const withBlocks = (bavail: number) => (async () => ({ bavail, bsize: 4096 })) as unknown as typeof statfs;
  await checkFreeSpace('/data', withBlocks(256));
  await assert.rejects(checkFreeSpace('/data', withBlocks(255)), /disk of \/data has less than 1 MB of room/);
});

it('the free space of a real directory is read', () => checkFreeSpace(tmpdir()));
