import { describe, expect, it } from 'vitest';
import { merge } from './merge.ts';

const base = { name: 'north', limits: { devices: 1, gateways: 1 }, channels: [0, 1] };

describe('merge', () => {
  it('takes the changes of others and keeps the edits of the user', () => {
    const mine = { ...base, limits: { devices: 5, gateways: 1 } };
    const theirs = { ...base, name: 'south', limits: { devices: 1, gateways: 9 } };
    expect(merge(mine, base, theirs)).toEqual({
      values: { name: 'south', limits: { devices: 5, gateways: 9 }, channels: [0, 1] },
      conflicts: [],
    });
  });

  it('keeps the edit of the user and reports the conflict when both changed the same field', () => {
    const mine = { ...base, name: 'mine', channels: [0] };
    const theirs = { ...base, name: 'theirs', channels: [1] };
    expect(merge(mine, base, theirs)).toEqual({ values: mine, conflicts: ['name', 'channels'] });
  });

  it('reports no conflict when both made the same change', () => {
    const both = { ...base, name: 'both' };
    expect(merge(both, base, both)).toEqual({ values: both, conflicts: [] });
  });
});
