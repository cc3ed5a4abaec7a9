import { describe, expect, it } from 'vitest';
import { flatten } from './json-lines.ts';

const value = { a: 1, b: { c: 'text', d: [true, null] }, e: {} };
const shown = (folded: string[] = []) =>
  flatten(value, new Set(folded)).map((line) => `${' '.repeat(line.depth)}${line.name} ${line.text}`.trimEnd());

describe('the lines of a JSON tree', () => {
  it('are in the order of the value, one level deeper inside each branch', () => {
    expect(shown()).toEqual(['a 1', 'b', ' c "text"', ' d', '  0 true', '  1 null', 'e { }']);
  });

  it('omit folded members and show their number', () => {
    expect(shown(['$.b'])).toEqual(['a 1', 'b { 2 }', 'e { }']);
    expect(shown(['$.b.d'])).toEqual(['a 1', 'b', ' c "text"', ' d [ 2 ]', 'e { }']);
  });

  it('can be a single scalar, and cannot fold an empty branch', () => {
    expect(flatten('x', new Set())).toMatchObject([{ name: null, kind: 'text', text: '"x"', isFolded: null }]);
    expect(flatten({ e: [] }, new Set())).toMatchObject([{ isFolded: null }]);
  });
});
