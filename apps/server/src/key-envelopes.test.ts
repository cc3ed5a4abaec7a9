import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeyEnvelopes, KeyEnvelopeError } from './key-envelopes.ts';

const kek = Uint8Array.fromHex('ffeeddccbbaa99887766554433221100');
const key = Uint8Array.fromHex('04d3df89c8a14f26ace47e8242616a6f');
const wrapped = Uint8Array.fromHex('930384d667ce4a1dcb37682ed147a21a8bcbb40f0a57e717');
const envelopes = createKeyEnvelopes(new Map([['as', kek]]));

describe('key envelopes', () => {
  it('contain a key wrapped as published', () => {
    assert.deepEqual(envelopes.seal('as', key), { kekLabel: 'as', aesKey: wrapped });
    assert.deepEqual(envelopes.open({ kekLabel: 'as', aesKey: wrapped }), key);
  });

  it('contain it in plain text without such a key-encryption key', () => {
    assert.deepEqual(envelopes.seal('other', key), { kekLabel: '', aesKey: key });
    assert.deepEqual(envelopes.open({ kekLabel: '', aesKey: key }), key);
  });

  it('are not opened with a wrong or missing key, or when they contain no key', () => {
    const damaged = wrapped.with(0, 0);
    for (const [envelope, says] of [
      [{ kekLabel: 'as', aesKey: damaged }, /not wrapped with the key-encryption key "as"/],
      [{ kekLabel: 'as', aesKey: key }, /not wrapped/],
      [{ kekLabel: 'other', aesKey: wrapped }, /"other": add it to HILLTOP_JOIN_SERVER_KEK/],
      [{ kekLabel: '', aesKey: wrapped }, /has 24 bytes/],
    ] as const) {
      assert.throws(
        () => envelopes.open(envelope),
        (error: Error) => error instanceof KeyEnvelopeError && says.test(error.message),
      );
    }
  });
});
