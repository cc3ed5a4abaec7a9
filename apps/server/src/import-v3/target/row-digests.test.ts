import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRowDigests, digestOfName } from './row-digests.ts';

it('stores the last number of each of very many names', () => {
  const digests = createRowDigests();
  const names = Array.from({ length: 50_000 }, (_, device) => `device/0c${device.toString(16).padStart(14, '0')}`);
  for (const [number, name] of names.entries()) digests.set(digestOfName(name), number);
  digests.set(digestOfName(names[7]!), 2 ** 47);
  digests.set(0, 3);
  assert.equal(digests.size, names.length + 1);
  assert.equal(digests.get(digestOfName('device/ff')), undefined);
  for (const [number, name] of names.entries())
    assert.equal(digests.get(digestOfName(name)), number === 7 ? 2 ** 47 : number);
});
