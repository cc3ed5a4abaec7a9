import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf } from './hex.ts';

test('hexadecimal text of any length and case is the same bytes', () => {
  for (const text of ['', '00', 'ff01', '0102030405060708', 'ABcdEF', 'a5'.repeat(300)])
    assert.deepEqual(bytesOf(text), Uint8Array.fromHex(text));
});

test('odd lengths and invalid digits are refused', () => {
  for (const text of ['0', '012', 'zz', '0x01', ' 01', '010203zz']) assert.throws(() => bytesOf(text), SyntaxError);
});
