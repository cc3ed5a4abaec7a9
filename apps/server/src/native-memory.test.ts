import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { nativeMemory } from './native-memory.ts';
import { phcOf } from './passwords/argon2id.ts';

/** The resident memory of this process in MB. */
const residentMB = () => process.memoryUsage.rss() / 2 ** 20;
const isGlibc = process.platform === 'linux' && readFileSync('/proc/self/maps', 'utf8').includes('libc.so.6');

/** Hashes four passwords at the same time, each on its own thread. */
const hashFour = () => Promise.all(Array.from({ length: 4 }, () => phcOf('correct horse', new Uint8Array(16))));

describe('memory of the C library', () => {
  it('is returned to the system from between blocks in use', () => {
    if (!isGlibc) return assert.equal(nativeMemory(), undefined);
    const native = nativeMemory()!;
    native.trim();
    const sizes = { each: 8_000, all: 64_000_000 };
    const blocks: (ArrayBuffer | undefined)[] = [];
    for (let count = 0; count < sizes.all / sizes.each; count += 1) blocks.push(new ArrayBuffer(sizes.each));
    for (const block of blocks) new Uint8Array(block!).fill(1);
    for (let index = 0; index < blocks.length; index += 1)
      if (index % 16 > 0) blocks[index] = blocks[index]!.transfer(0) && undefined;
    const before = residentMB();
    native.trim();
    const after = residentMB();
    assert.ok(before - after > 20, `${before} MB before, ${after} MB after`);
  });

  it('is returned at once when large blocks are freed, in every thread', async () => {
    const native = nativeMemory();
    if (!native) return;
    native.returnFrom(2 ** 20);
    await hashFour();
    native.trim();
    const before = residentMB();
    for (let round = 0; round < 3; round += 1) await hashFour();
    const after = residentMB();
    assert.ok(after - before < 15, `${before} MB before, ${after} MB after`);
  });

  it('is not touched with another C library', () => {
    assert.equal(nativeMemory('libc-of-nowhere.so'), undefined);
  });
});
