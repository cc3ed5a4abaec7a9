import { describe, expect, it } from 'vitest';
import { formatNumbers, numberListProblem, parseNumbers } from './number-list.ts';

describe('a list of numbers', () => {
  it('is parsed with and without spaces and written with spaces', () => {
    expect(parseNumbers(' 0,1 , 12')).toEqual([0, 1, 12]);
    expect(formatNumbers([0, 1, 12])).toBe('0, 1, 12');
  });

  for (const text of ['0', '0,1,2', ' 7 , 8 ']) {
    it(`may be "${text}"`, () => expect(numberListProblem(text)).toBeNull());
  }

  for (const text of ['0 1', '0,,1', '0,', 'a', '-1', '1.5', '0x1']) {
    it(`may not be "${text}"`, () => expect(numberListProblem(text)).toMatch('separated by commas'));
  }

  it('contains each number once', () => expect(numberListProblem('1, 2, 1')).toBe('1 is in the list twice.'));
});
