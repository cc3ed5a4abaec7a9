import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { releaseWhenIdle, type Use } from './release-memory.ts';

/** One second of a process: the processor time in milliseconds, and the heap at its end. */
type Second = readonly [processorMs: number, heapMB: number];

/** The seconds in which memory was collected, each time with 30 MB left, and in which it was trimmed. */
function givenBackIn(seconds: readonly Second[]) {
  const use: Use = { atMs: 0, processorMs: 0, heapMB: 0 };
  const given = { collected: [] as number[], trimmed: [] as number[] };
  const look = releaseWhenIdle(() => ({ ...use }), {
    collect: () => {
      given.collected.push(use.atMs / 1000);
      use.heapMB = 30;
    },
    trim: () => given.trimmed.push(use.atMs / 1000),
  });
  for (const [processorMs, heapMB] of seconds) {
    use.atMs += 1000;
    use.processorMs += processorMs;
    use.heapMB = heapMB;
    look();
  }
  return given;
}

const times = (count: number, second: Second): Second[] => Array.from({ length: count }, () => second);

describe('memory is returned to the system', () => {
  const lives: { title: string; seconds: Second[]; collected: number[]; trimmed: number[] }[] = [
    {
      title: 'once after the start',
      seconds: [[400, 60], [20, 60], ...times(30, [10, 31])],
      collected: [2],
      trimmed: [2, 12],
    },
    { title: 'not under load', seconds: times(60, [200, 300]), collected: [], trimmed: [] },
    {
      title: 'ten seconds after a load, and then no more',
      seconds: [...times(3, [10, 60]), ...times(20, [900, 200]), ...times(12, [10, 200]), ...times(30, [10, 34])],
      collected: [1, 33],
      trimmed: [1, 33, 43],
    },
    {
      title: 'without a collection for a little growth',
      seconds: [[10, 60], ...times(40, [10, 70])],
      collected: [1],
      trimmed: [1, 11],
    },
    {
      title: 'not between loads that come and go',
      seconds: [[10, 60], ...times(10, [10, 200]).flatMap((rest): Second[] => [...times(9, rest), [300, 200]])],
      collected: [1],
      trimmed: [1],
    },
  ];
  for (const { title, seconds, ...given } of lives) it(title, () => assert.deepEqual(givenBackIn(seconds), given));
});
