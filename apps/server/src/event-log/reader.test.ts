import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '../clock.ts';
import type { Commits } from './commits.ts';
import { type Cursor, noGaps, parseCursor } from './cursor.ts';
import type { LogPosition } from './event-log.ts';
import { createReader } from './reader.ts';
import type { EventRow } from './row.ts';
import { createTail } from './tail.ts';

const row = (pos: number, payload = '{}'): EventRow => ({
  pos,
  at: 1000,
  application_id: 1,
  dev_eui: '0a',
  seq: pos,
  type: 'up',
  payload,
});

/** Commits that become visible in steps, each with the gaps after it. */
function steps() {
  const waiting: { rows: EventRow[]; cursor: Cursor }[] = [];
  const commits: Commits = {
    newest: async () => ({ pos: 0, gaps: noGaps }),
    since: async (cursor) => ({ rows: [], cursor, ...waiting.shift(), isMore: waiting.length > 0 }),
    committed: () => undefined,
  };
  const show = (positions: readonly number[], pos: number, gaps: readonly number[] = []) =>
    waiting.push({ rows: positions.map((position) => row(position)), cursor: { pos, gaps: new Set(gaps) } });
  return { commits, show };
}

it('a late event is a gap of the stored position until it is completed, and not afterwards', async () => {
  const { commits, show } = steps();
  const tail = await createTail(commits, systemClock);
  // The table is not read: all events are in the tail.
  const reader = createReader({ query: undefined as never, tail }, undefined, '0' as LogPosition);
  const next = async () => {
    tail.hint();
    return reader.next(10);
  };
  assert.deepEqual(await next(), []);
  show([1, 3], 3, [2]);
  assert.deepEqual(
    (await next()).map(({ pos }) => pos),
    [1, 3],
  );
  assert.equal(reader.position([]), '3:2-2');
  show([2], 3);
  const [late] = await next();
  assert.equal(late!.pos, 2);
  assert.equal(reader.position([late!]), '3:2-2');
  assert.equal(reader.position([late!]), '3:2-2');
  assert.equal(reader.position([]), '3');
  show([4], 4);
  const [newest] = await next();
  // An event that is not late is before the position, not one of its gaps.
  assert.equal(reader.position([newest!]), '3');
  // A late event that was completed is not late any more: from then on it is before the position.
  assert.equal(reader.position([late!]), '1');
});

it('a stored position has at most 500 late events, and starts before the first of the others', async () => {
  const { commits, show } = steps();
  const tail = await createTail(commits, systemClock);
  const reader = createReader({ query: undefined as never, tail }, undefined, '0' as LogPosition);
  tail.hint();
  await reader.next(10);
  const late = Array.from({ length: 600 }, (_, index) => index + 1);
  show([601], 601, late);
  tail.hint();
  await reader.next(10);
  show(late, 601);
  tail.hint();
  const events = await reader.next(1000);
  assert.equal(events.length, 600);
  const { pos, gaps } = parseCursor(reader.position(events));
  assert.deepEqual([pos, gaps.size], [500, 500]);
});

/** A tail that has read this many events of this size. */
async function tailOf(count: number, payload: string) {
  const commits: Commits = {
    newest: async () => ({ pos: 0, gaps: noGaps }),
    since: async ({ pos }, limit) => {
      const rows = Array.from({ length: Math.min(limit, count - pos) }, (_, index) => row(pos + index + 1, payload));
      return { rows, cursor: { pos: pos + rows.length, gaps: noGaps }, isMore: pos + rows.length < count };
    },
    committed: () => undefined,
  };
  const tail = await createTail(commits, systemClock);
  tail.hint();
  await tail.fill();
  return tail;
}

for (const [what, count, payload, most] of [
  ['8,192 events', 20_000, '{}', 8192],
  ['16 MB of events', 1000, 'x'.repeat(100_000), 160],
] as const)
  it(`the tail has at most ${what} in memory`, async () => {
    const tail = await tailOf(count, payload);
    assert.equal(tail.newest().arrival, count);
    const oldest = Array.from({ length: count }, (_, arrival) => arrival).find((arrival) => tail.after(arrival));
    const held = count - oldest!;
    assert.ok(held > most / 2 && held <= most, `${held} events`);
    assert.equal(tail.after(oldest!)!.length, held);
  });
