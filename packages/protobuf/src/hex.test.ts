import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, sharedBytesOf } from './hex.ts';

test('hexadecimal text of any length and case is the same bytes', () => {
  for (const text of ['', '00', 'ff01', '0102030405060708', 'ABcdEF', 'a5'.repeat(300)])
    assert.deepEqual(bytesOf(text), Uint8Array.fromHex(text));
});

test('odd lengths and invalid digits are refused', () => {
  for (const text of ['0', '012', 'zz', '0x01', ' 01', '010203zz']) assert.throws(() => bytesOf(text), SyntaxError);
});

test('an identifier that many messages have is in memory once, however many others there were', () => {
  const bytes = sharedBytesOf('0102030405060708');
  assert.deepEqual(bytes, Uint8Array.fromHex('0102030405060708'));
  assert.equal(sharedBytesOf('0102030405060708'), bytes);
  for (let number = 0; number < 50_000; number += 1) sharedBytesOf(number.toString(16).padStart(16, '0'));
  assert.deepEqual(sharedBytesOf('0102030405060708'), bytes);
  assert.throws(() => sharedBytesOf('0x'), SyntaxError);
});
