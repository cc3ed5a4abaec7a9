import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { withEscapes } from './bundle.ts';

describe('code with escapes', () => {
  for (const code of [
    `'a…b' + "\\\\" + '\\\\é' + '\\é' + '\\\\\\–'`,
    '`${1 + 1} • 😀`',
    '(größe => größe)("é")',
    '/[“”]+/.exec("x“”").index',
    '/^[😀]$/u.test("😀") && /\\•/.test("•")',
  ])
    it(`is ASCII and means the same: ${code}`, () => {
      const escaped = withEscapes(code);
      assert.match(escaped, /^[\0-\x7f]+$/);
      assert.equal(runInNewContext(escaped), runInNewContext(code));
    });

  it('is refused where an escape would mean something else', () => {
    assert.throws(() => withEscapes('String.raw`…`'), /raw template/);
  });
});
