import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { test } from 'node:test';
import { cmac } from '@noble/ciphers/aes.js';
import { aesCounter } from './aes.ts';
import { aesCmac } from './cmac.ts';
import { keyScheduleOf } from './key-schedule.ts';

const bytes = (seed: string, length: number): Uint8Array => {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${seed}/${at}`).digest(),
  );
  return new Uint8Array(Buffer.concat(blocks)).slice(0, length);
};
/** Another key that has the same cache slot. */
const beside = (key: Uint8Array) => key.map((byte, at) => (at < 4 ? byte : byte ^ 1));
const counted = (key: Uint8Array, first: Uint8Array, data: Uint8Array) =>
  new Uint8Array(createCipheriv('aes-128-ctr', key, first).update(data));

test('MICs and payloads of every length equal those of another implementation, also with cached keys', () => {
  for (let length = 0; length <= 255; length++) {
    const key = bytes(`key ${length}`, 16);
    const [data, first] = [bytes(`data ${length}`, length), bytes(`first ${length}`, 16)];
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(aesCmac(key, data, 16), cmac(data, key));
      assert.deepEqual(aesCounter(key, first, data), counted(key, first, data));
    }
  }
});

test('keys with the same beginning, and keys that are overwritten, are distinguished', () => {
  const key = bytes('key', 16);
  const [data, first] = [bytes('data', 40), bytes('first', 16)];
  for (const one of [key, beside(key), key]) {
    assert.deepEqual(aesCmac(one, data, 16), cmac(data, one));
    assert.deepEqual(aesCounter(one, first, data), counted(one, first, data));
  }
  key.fill(7);
  assert.deepEqual(aesCmac(key, data, 16), cmac(data, key));
  key[15] = 8;
  assert.deepEqual(aesCmac(key, data, 16), cmac(data, key));
});

test('the block counter overflows into the preceding bytes', () => {
  const [key, data, first] = [bytes('key', 16), bytes('data', 100), bytes('first', 16)];
  first.set([0, 0xff, 0xff, 0xfe], 12);
  assert.deepEqual(aesCounter(key, first, data), counted(key, first, data));
});

test('keys of another length are refused', () => {
  for (const length of [0, 15, 24, 32]) {
    assert.throws(() => aesCmac(new Uint8Array(length), new Uint8Array(4)), RangeError);
    assert.throws(() => aesCounter(new Uint8Array(length), new Uint8Array(16), new Uint8Array(4)), RangeError);
  }
});

test('consecutive keys are cached together', () => {
  const keys = Array.from({ length: 1000 }, (_, at) => Uint8Array.fromHex(`11${String(at).padStart(30, '0')}`));
  const made = keys.map(keyScheduleOf);
  const found = keys.filter((key, at) => keyScheduleOf(key) === made[at]);
  assert.ok(found.length > 850, `${found.length} of 1000`);
});
