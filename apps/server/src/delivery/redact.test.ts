import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from './redact.ts';

describe('redaction', () => {
  const redact = createRedactor({
    eventEndpointURL: 'https://sink.example.org/a?key=canary-one, https://other.example.org/b?token=canary%20two',
    password: 'canary-three',
    headers: [{ key: 'X-Key', value: 'canary-four; canary-five' }],
    short: 'abc',
  });

  it('removes configured values in any encoding', () => {
    const written = [
      ...['canary-one', 'canary two', 'canary-three', 'canary-five'],
      ...[encodeURIComponent('canary two'), Buffer.from('canary-three').toString('base64'), 'canary-four; canary-five'],
    ];
    for (const word of written) assert.equal(redact(`it said ${word}!`), 'it said •••!', word);
  });

  it('removes text that looks like credentials', () => {
    assert.equal(redact('sent Bearer eyJhbGciOi.x.y and Basic YTpi'), 'sent Bearer ••• and Basic •••');
  });

  it('shows scheme, host and path of URLs', () => {
    const text = 'POST https://sink.example.org/a';
    assert.equal(redact(text), text);
    assert.equal(redact(`${text}?key=canary-one`), `${text}?key=•••`);
    assert.equal(redact('abc'), 'abc');
  });

  it('replaces control characters', () => {
    assert.equal(redact('a\u0007b\u202Ec\nd'), 'a b c d');
  });
});
