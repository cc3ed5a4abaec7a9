import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { base32Of } from './base32.ts';
import { createRecoveryCodes } from './recovery-codes.ts';
import { matchingStep, stepAt, totpOf, totpURI } from './totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('a time-based one-time password', () => {
  // RFC 6238, appendix B, SHA-1.
  const vectors: readonly [seconds: number, code: string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors) {
    it(`is ${code} at ${seconds} s`, () => {
      const now = new Date(seconds * 1000);
      assert.equal(totpOf(secret, stepAt(now), 8), code);
      assert.equal(totpOf(secret, stepAt(now)), code.slice(2));
    });
  }

  // RFC 4226, appendix D.
  it('is the code of a counter', () => {
    const codes = Array.from({ length: 10 }, (_, counter) => totpOf(secret, counter));
    assert.deepEqual(codes, [
      '755224',
      '287082',
      '359152',
      '969429',
      '338314',
      '254676',
      '287922',
      '162583',
      '399871',
      '520489',
    ]);
  });

  it('counts one step before and after its own', () => {
    const now = new Date(1_234_567_890_000);
    const step = stepAt(now);
    const accepted = [-3, -2, -1, 0, 1, 2, 3].map((steps) => matchingStep(secret, totpOf(secret, step + steps), now));
    assert.deepEqual(accepted, [undefined, undefined, step - 1, step, step + 1, undefined, undefined]);
    for (const other of ['', '1', '1234567', 'abcdef', '１２３４５６'])
      assert.equal(matchingStep(secret, other, now), undefined);
  });

  it('has a URI for a QR code', () => {
    assert.equal(
      totpURI(secret, { account: 'ada+1@example.org', issuer: 'North valley' }),
      'otpauth://totp/North%20valley:ada%2B1%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=North%20valley',
    );
  });
});

// RFC 4648, section 10.
it('base32 is that of the RFC, without padding', () => {
  const texts = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32Of(Buffer.from(text)));
  assert.deepEqual(texts, ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']);
});

it('recovery codes are ten different ones of 16 characters', () => {
  const codes = createRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
});
