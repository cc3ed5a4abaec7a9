import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { FileSealer, openSealed, sealingCost } from './sealed-file.ts';

sealingCost.N = 2 ** 10;
const chunk = 2 ** 20;
const passphrase = 'a long passphrase';
const plain = randomBytes(3 * chunk + 5);

function sealed(): { head: Buffer; chunks: Buffer[] } {
  const sealer = new FileSealer(passphrase);
  const pieces = [...sealer.add(plain.subarray(0, 100)), ...sealer.add(plain.subarray(100)), ...sealer.end()];
  const [head, ...chunks] = pieces as [Buffer, ...Buffer[]];
  return { head, chunks };
}

async function opened(...pieces: Buffer[]): Promise<Buffer> {
  const found: Buffer[] = [];
  async function* chunks() {
    yield* pieces;
  }
  for await (const piece of openSealed(chunks(), passphrase)) found.push(piece);
  return Buffer.concat(found);
}

it('opens what it has sealed', async () => {
  const { head, chunks } = sealed();
  assert.equal(chunks.length, 4);
  assert.ok((await opened(head, ...chunks)).equals(plain));
});

it('refuses chunks that are exchanged, repeated or left out, also at the end', async () => {
  const { head, chunks } = sealed();
  const [a, b, c, d] = chunks as [Buffer, Buffer, Buffer, Buffer];
  const other = sealed().chunks[1]!;
  for (const order of [
    [b, a, c, d],
    [a, c, d],
    [a, b, c],
    [a, b, b, c, d],
    [a, other, c, d],
    [a, b, c, d, d],
  ])
    await assert.rejects(opened(head, ...order), /^StartError: The backup/);
});
