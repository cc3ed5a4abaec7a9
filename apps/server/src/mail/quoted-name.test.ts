import assert from 'node:assert/strict';
import { it } from 'node:test';
import { quotedName } from './quoted-name.ts';

it('quotes names, which cannot end the quotes, begin a line or become a link', () => {
  assert.equal(quotedName('Garden 3'), '"Garden 3"');
  assert.equal(quotedName('a”\r\nBcc: b "c"'), `"a' Bcc: b 'c'"`);
  const visible = (name: string) => quotedName(name).replaceAll('\u2060', '');
  for (const name of ['https://evil.example/a', 'www.evil.example', 'mail@evil.example']) {
    assert.equal(visible(name), `"${name}"`);
    assert.doesNotMatch(quotedName(name), /:\/\/|\.\w|@\w/);
  }
});
