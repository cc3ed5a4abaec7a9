import { expect, it } from 'vitest';
import { createRowSlots } from './row-slots.ts';

it('keeps the seat of an entry in sight and gives that of one which left to one which came', () => {
  const seatsOf = createRowSlots();
  expect(seatsOf(['c', 'b', 'a'])).toEqual([0, 1, 2]);
  expect(seatsOf(['d', 'c', 'b'])).toEqual([2, 0, 1]);
  expect(seatsOf(['d', 'c', 'b'])).toEqual([2, 0, 1]);
  expect(seatsOf(['g', 'f', 'e']).toSorted((one, other) => one - other)).toEqual([0, 1, 2]);
});

it('never gives one seat to two', () => {
  const seatsOf = createRowSlots();
  seatsOf(['c', 'b', 'a']);
  expect(seatsOf(['a'])).toEqual([2]);
  expect(new Set(seatsOf(['d', 'c', 'b', 'a'])).size).toBe(4);
});
