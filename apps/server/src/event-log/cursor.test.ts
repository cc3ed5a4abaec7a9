import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatCursor, parseCursor } from './cursor.ts';

describe('a stored cursor', () => {
  it('names its gaps as ranges, and none behind its position', () => {
    const position = formatCursor({ pos: 20, gaps: new Set([9, 7, 8, 12, 25]) });
    assert.equal(position, '20:7-9,12-12');
    assert.deepEqual(parseCursor(position), { pos: 20, gaps: new Set([7, 8, 9, 12]) });
  });

  it('is a plain number without gaps', () => {
    assert.equal(formatCursor({ pos: 5, gaps: new Set([6]) }), '5');
    assert.deepEqual(parseCursor(formatCursor({ pos: 5, gaps: new Set() })), { pos: 5, gaps: new Set() });
  });

  it('drops the oldest ranges beyond 1,000', () => {
    const gaps = new Set(Array.from({ length: 1200 }, (_, index) => 2 * index + 1));
    const stored = parseCursor(formatCursor({ pos: 5000, gaps })).gaps;
    assert.equal(stored.size, 1000);
    assert.equal(Math.min(...stored), 401);
    assert.equal(Math.max(...stored), 2399);
  });
});
