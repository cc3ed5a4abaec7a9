import { describe, expect, it } from 'vitest';
import { keyValueProblems, recordOf, rowsOf } from './key-value.ts';

describe('key and value rows', () => {
  it('are sorted when read from a map, and convert back into the same map', () => {
    const record = { site: 'north', floor: '3', empty: '' };
    expect(rowsOf(record).map((row) => row.name)).toEqual(['empty', 'floor', 'site']);
    expect(recordOf(rowsOf(record))).toEqual(record);
  });

  it('ignore empty rows and trim names', () => {
    const rows = [
      { name: ' site ', value: 'north' },
      { name: '', value: '' },
    ];
    expect(keyValueProblems(rows)).toEqual([null, null]);
    expect(recordOf(rows)).toEqual({ site: 'north' });
  });

  it('report a value without name, and a duplicate name at the later row', () => {
    const rows = [
      { name: 'a', value: '1' },
      { name: ' ', value: '2' },
      { name: 'a ', value: '' },
    ];
    expect(keyValueProblems(rows)).toEqual([null, 'Enter a name for this value.', 'The name a is used twice.']);
  });
});
