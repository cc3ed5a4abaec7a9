import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerText } from './answer-text.ts';
import { listOf, map, message, optional, text, timestamp } from './wire.ts';

const Inner = message('api.Inner', { at: timestamp(), note: text() });
const Outer = message('api.Outer', {
  at: timestamp(),
  note: text(),
  inner: optional(Inner),
  list: listOf(Inner),
  tags: map('text', text()),
});

describe('answerText', () => {
  it('writes whole seconds without a fraction, in every time and nowhere else', () => {
    const whole = '2026-11-21T10:15:30.000Z';
    const value = {
      at: whole,
      note: whole,
      inner: { at: '2026-11-21T10:15:30.120Z', note: whole },
      list: [{ at: whole, note: whole }],
      tags: { at: whole },
    };
    const before = structuredClone(value);
    assert.deepEqual(JSON.parse(answerText(Outer, value)), {
      at: '2026-11-21T10:15:30Z',
      note: whole,
      inner: { at: '2026-11-21T10:15:30.120Z', note: whole },
      list: [{ at: '2026-11-21T10:15:30Z', note: whole }],
      tags: { at: whole },
    });
    assert.deepEqual(value, before);
  });

  it('leaves out what is unset', () => {
    const value = { at: null, note: '', inner: null, list: [], tags: {} };
    assert.equal(answerText(Outer, value), JSON.stringify(value));
  });
});
