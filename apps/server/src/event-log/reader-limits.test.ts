import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loggedEvent } from '../testing/logged-events.ts';
import type { LogPosition } from './event-log.ts';
import { createReader } from './reader.ts';

const eventAt = (pos: number) => ({ ...loggedEvent('up'), pos });

/** A tail without a table, to which a test adds the events that arrive. */
function createFakeTail() {
  const arrived: { event: ReturnType<typeof eventAt>; gaps: number[] }[] = [];
  let pos = 0;
  return {
    add: (eventPos: number, gaps: number[] = []) => {
      arrived.push({ event: eventAt(eventPos), gaps });
      pos = Math.max(pos, eventPos);
    },
    fill: async () => undefined,
    newest: () => ({ arrival: arrived.length, cursor: { pos, gaps: new Set<number>() } }),
    after: (arrival: number) => arrived.slice(arrival),
    hint: () => undefined,
  };
}

it('a position contains at most 500 late events: another one holds the position until it is completed', async () => {
  const tail = createFakeTail();
  const reader = createReader({ query: undefined as never, tail: tail as never }, undefined, '0' as LogPosition);
  await reader.next(1);
  const late = Array.from({ length: 501 }, (_, index) => index + 1);
  tail.add(1000, late);
  for (const pos of late) tail.add(pos);
  assert.equal((await reader.next(1000)).length, 502);
  assert.equal(reader.position(late.map(eventAt)), '500:1-500');
  assert.equal(reader.position([eventAt(501)]), '500');
  assert.equal(reader.position([]), '1000');
});
