import { describe, expect, it } from 'vitest';
import { clockWords } from './clock-words.ts';

describe('the clock of a gateway', () => {
  it.each([
    [-249_177_600, '2,884 days behind'],
    [-86_400, '1 day behind'],
    [7_300, '2 hours ahead'],
    [61, '1 minute ahead'],
    [-2.4, '2 seconds behind'],
  ])('that is off by %d s is said in the largest unit that fits', (offset, words) => {
    expect(clockWords(offset)).toBe(words);
  });
});
