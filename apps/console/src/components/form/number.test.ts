import { describe, expect, it } from 'vitest';
import { numberProblem, parseNumber } from './number.ts';

const table: [typed: string, value: number | string, problem: string | null][] = [
  ['12', 12, null],
  [' 868 100 000 ', 868_100_000, null],
  ['-3', -3, null],
  ['007', 7, null],
  ['', '', 'This must be a number.'],
  ['868.1', 868.1, 'This must be a whole number.'],
  ['868,1', 868.1, 'This must be a whole number.'],
  ['-', '-', 'This must be a number.'],
  ['868,100,000', '868,100,000', 'This must be a number.'],
  ['1e3', '1e3', 'This must be a number.'],
  ['0x10', '0x10', 'This must be a number.'],
  ['12abc', '12abc', 'This must be a number.'],
];

describe('a number box', () => {
  for (const [typed, value, problem] of table) {
    it(`reads "${typed}"`, () => {
      expect(parseNumber(typed)).toBe(value);
      expect(numberProblem(value, 0)).toBe(problem);
    });
  }

  it('accepts decimals where the field has them', () => expect(numberProblem(868.1, 2)).toBeNull());
});
