import { describe, expect, it } from 'vitest';
import {
  caretPosition,
  copyFormats,
  hexProblem,
  inOrder,
  pasted,
  randomHex,
  reverseBytes,
  spacedPairs,
  typed,
} from './hex-value.ts';

describe('hex text', () => {
  it('is displayed in pairs', () => {
    expect(['', '0', '01', '012', '0123ab'].map(spacedPairs)).toEqual(['', '0', '01', '01 2', '01 23 ab']);
  });

  it('is reversed by byte, and twice reversed it is unchanged at any length', () => {
    expect(reverseBytes('0123ab')).toBe('ab2301');
    expect(inOrder('0123ab', 'MSB')).toBe('0123ab');
    for (const digits of ['', '0', '01', '012', '01234', '0123456789abcdef'])
      expect(reverseBytes(reverseBytes(digits))).toBe(digits);
  });

  it('is copied as one word or as an array', () => {
    expect(copyFormats('01abCD')).toEqual({ string: '01ABCD', array: '0x01, 0xab, 0xcd' });
  });

  it('is complete, or has an error with the lengths', () => {
    expect(hexProblem('', 8)).toBeNull();
    expect(hexProblem('', 8, true)).toMatch(/8 bytes/);
    expect(hexProblem('0123', 8)).toMatch(/16 hexadecimal digits\); 4 entered/);
    expect(hexProblem('0123456789abcdef', 8)).toBeNull();
  });

  it('can be random, with the requested length and different each time', () => {
    expect(randomHex(16)).toMatch(/^[0-9a-f]{32}$/);
    expect(randomHex(8)).not.toBe(randomHex(8));
  });
});

describe('typing', () => {
  // before | text after the keystroke, caret as ^ | bytes | kind -> digits, digits left of the caret
  const table = [
    ['', '0^', 4, 'none', '0', 1],
    ['01', '01 2^', 4, 'none', '012', 3],
    ['01', '01g^', 4, 'none', '01', 2],
    ['0145', '01 23^ 45', 4, 'none', '012345', 4],
    ['0120', '01 20x^', 4, 'none', '0120', 4],
    ['0123', '01^23', 4, 'backward', '023', 1],
    ['0123', '01^23', 4, 'forward', '013', 2],
    ['012345', '01 3^ 45', 4, 'backward', '01345', 3],
    ['01234567', '01 9^23 45 67', 4, 'none', '01934567', 3],
    ['01234567', '01 23 45 678^', 4, 'none', '01234567', 8],
    ['01234567', '^', 4, 'backward', '', 0],
    ['0', '0x^', 4, 'none', '', 0],
    ['010', '01 0X^', 4, 'none', '01', 2],
  ] as const;
  for (const [before, after, bytes, kind, digits, caret] of table) {
    it(`makes ${digits || 'nothing'} of ${before || 'nothing'} and "${after}" (${kind})`, () => {
      const edit = typed(before, after.replace('^', ''), after.indexOf('^'), bytes, kind);
      expect(edit).toEqual({ digits, caret });
    });
  }

  it('places the caret behind the typed digit', () => {
    const text = '01 23 45';
    const places = [0, 1, 2, 3, 4, 5, 6].map(
      (count) => text.slice(0, caretPosition(count, 6)).replace(/\s/g, '').length,
    );
    expect(places).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('pasting', () => {
  const whole = '0123456789abcdef';
  for (const text of [
    '0123456789abcdef',
    ' 01 23 45 67 89 ab cd ef\n',
    '01:23:45:67:89:ab:cd:ef',
    '0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef',
    '01-23-45-67-89-AB-CD-EF',
  ]) {
    it(`takes "${text.trim()}" for a whole value, whatever stood there`, () => {
      const paste = pasted('ff', { text, from: 1, to: 1 }, 8);
      expect(paste.ok && paste.edit.digits.toLowerCase()).toBe(whole);
    });
  }

  it('replaces the selection with a part of a value', () => {
    expect(pasted('00112233', { text: 'abcd', from: 2, to: 6 }, 4)).toEqual({
      ok: true,
      edit: { digits: '00abcd33', caret: 6 },
    });
  });

  it('refuses text that is not hexadecimal or too long, with a reason', () => {
    expect(pasted('', { text: 'hello feed', from: 0, to: 0 }, 4)).toEqual({
      ok: false,
      problem: 'The pasted text is not hexadecimal.',
    });
    expect(pasted('', { text: `${whole}00`, from: 0, to: 0 }, 8)).toEqual({
      ok: false,
      problem: 'The pasted text has 18 digits; this takes 16.',
    });
  });
});
