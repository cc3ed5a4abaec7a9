import { describe, expect, it } from 'vitest';
import { differencesOf } from './differences.ts';

describe('the differences of two objects', () => {
  it('are changed, added and removed members, with their path', () => {
    const before = { air: { temperature: 21.5, humidity: 40 }, list: [1, 2], same: null };
    const now = { air: { temperature: 22, dew: 3 }, list: [1, 2, 3], same: null };
    expect(differencesOf(before, now)).toEqual([
      { path: 'air.temperature', before: 21.5, now: 22 },
      { path: 'air.humidity', before: 40, now: undefined },
      { path: 'air.dew', before: undefined, now: 3 },
      { path: 'list.2', before: undefined, now: 3 },
    ]);
  });

  it('are none for numbers that differ by rounding, and for another order of members', () => {
    expect(differencesOf({ a: 21.4, b: 1 }, { b: 1, a: 21.400000000000002 })).toEqual([]);
  });

  it('are the whole value when the kinds differ', () => {
    expect(differencesOf(null, { a: 1 })).toEqual([{ path: 'value', before: null, now: { a: 1 } }]);
    expect(differencesOf({ a: [1] }, { a: { 0: 1 } })).toHaveLength(1);
  });

  it('are limited', () => {
    const many = Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`m${at}`, at]));
    expect(differencesOf({}, many)).toHaveLength(50);
  });

  it('never read inherited members', () => {
    expect(differencesOf({}, JSON.parse('{"__proto__":1,"toString":2}'))).toHaveLength(2);
  });
});
