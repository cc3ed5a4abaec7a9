import { describe, expect, it } from 'vitest';
import { keyValueProblems, recordOf, rowsOf } from './key-value.ts';

describe('key and value rows', () => {
  it('come sorted from a map and go back into the same map', () => {
    const record = { site: 'north', floor: '3', empty: '' };
    expect(rowsOf(record).map((row) => row.name)).toEqual(['empty', 'floor', 'site']);
    expect(recordOf(rowsOf(record))).toEqual(record);
  });

  it('leave wholly empty rows out and trim names', () => {
    const rows = [
      { name: ' site ', value: 'north' },
      { name: '', value: '' },
    ];
    expect(keyValueProblems(rows)).toEqual([null, null]);
    expect(recordOf(rows)).toEqual({ site: 'north' });
  });

  it('find a value without name and a name used before, at the later row', () => {
    const rows = [
      { name: 'a', value: '1' },
      { name: ' ', value: '2' },
      { name: 'a ', value: '' },
    ];
    expect(keyValueProblems(rows)).toEqual([null, 'Enter a name for this value.', 'The name a is used twice.']);
  });
});
