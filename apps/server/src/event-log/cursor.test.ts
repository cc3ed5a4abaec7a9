import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatCursor, parseCursor } from './cursor.ts';

it('a stored cursor has its gaps as ranges, and is read back unchanged', () => {
  const cursor = { pos: 20, gaps: new Set([12, 5, 11, 7]) };
  const position = formatCursor(cursor);
  assert.equal(position, '20:5-5,7-7,11-12');
  assert.deepEqual(parseCursor(position), { pos: 20, gaps: new Set([5, 7, 11, 12]) });
  assert.equal(formatCursor({ pos: 20, gaps: new Set([21]) }), '20');
});

it('a stored cursor drops the oldest ranges when there are more than a thousand', () => {
  const gaps = Array.from({ length: 1002 }, (_, index) => 2 * index + 1);
  const stored = parseCursor(formatCursor({ pos: 5000, gaps: new Set(gaps) }));
  assert.deepEqual(stored, { pos: 5000, gaps: new Set(gaps.slice(2)) });
});
