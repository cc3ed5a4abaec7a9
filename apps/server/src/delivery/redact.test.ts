import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from './redact.ts';

describe('blotting', () => {
  const blot = createRedactor({
    eventEndpointURL: 'https://sink.example.org/a?key=canary-one, https://other.example.org/b?token=canary%20two',
    password: 'canary-three',
    headers: [{ key: 'X-Key', value: 'canary-four; canary-five' }],
    short: 'abc',
  });

  it('leaves nothing of what was filled in, however it is written', () => {
    const written = [
      ...['canary-one', 'canary two', 'canary-three', 'canary-five'],
      ...[encodeURIComponent('canary two'), Buffer.from('canary-three').toString('base64'), 'canary-four; canary-five'],
    ];
    for (const word of written) assert.equal(blot(`it said ${word}!`), 'it said •••!', word);
  });

  it('leaves nothing of what looks like credentials', () => {
    assert.equal(blot('sent Bearer eyJhbGciOi.x.y and Basic YTpi'), 'sent Bearer ••• and Basic •••');
  });

  it('shows where addresses lead', () => {
    const text = 'POST https://sink.example.org/a';
    assert.equal(blot(text), text);
    assert.equal(blot(`${text}?key=canary-one`), `${text}?key=•••`);
    assert.equal(blot('abc'), 'abc');
  });

  it('takes control characters out', () => {
    assert.equal(blot('a\u0007b\u202Ec\nd'), 'a b c d');
  });
});
