import { expect, it } from 'vitest';
import { createRowSlots } from './row-slots.ts';

it('keeps the slot of a visible entry and reuses the slot of one that went out of sight', () => {
  const seatsOf = createRowSlots();
  expect(seatsOf(['c', 'b', 'a'])).toEqual([0, 1, 2]);
  expect(seatsOf(['d', 'c', 'b'])).toEqual([2, 0, 1]);
  expect(seatsOf(['d', 'c', 'b'])).toEqual([2, 0, 1]);
  expect(seatsOf(['g', 'f', 'e']).toSorted((one, other) => one - other)).toEqual([0, 1, 2]);
});

it('never assigns one slot twice', () => {
  const seatsOf = createRowSlots();
  seatsOf(['c', 'b', 'a']);
  expect(seatsOf(['a'])).toEqual([2]);
  expect(new Set(seatsOf(['d', 'c', 'b', 'a'])).size).toBe(4);
});
