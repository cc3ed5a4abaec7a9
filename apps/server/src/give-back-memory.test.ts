import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectorAtRest, type Use } from './give-back-memory.ts';

/** A second of a process's life: milliseconds of processor time it took, and its heap at the end. */
type Second = readonly [processorMs: number, heapMB: number];

/** In which of the seconds memory was collected; each time 30 MB remain. */
function collectedIn(seconds: readonly Second[]): number[] {
  const use: Use = { atMs: 0, processorMs: 0, heapMB: 0 };
  const collected: number[] = [];
  const look = collectorAtRest(
    () => ({ ...use }),
    () => {
      collected.push(use.atMs / 1000);
      use.heapMB = 30;
    },
  );
  for (const [processorMs, heapMB] of seconds) {
    use.atMs += 1000;
    use.processorMs += processorMs;
    use.heapMB = heapMB;
    look();
  }
  return collected;
}

const times = (count: number, second: Second): Second[] => Array.from({ length: count }, () => second);

describe('memory is given back', () => {
  const lives: { title: string; seconds: Second[]; collected: number[] }[] = [
    { title: 'once after the start', seconds: [[400, 60], [20, 60], ...times(30, [10, 31])], collected: [2] },
    { title: 'not under load', seconds: times(60, [200, 300]), collected: [] },
    {
      title: 'ten seconds after a load, and then no more',
      seconds: [...times(3, [10, 60]), ...times(20, [900, 200]), ...times(12, [10, 200]), ...times(30, [10, 34])],
      collected: [1, 33],
    },
    { title: 'not for a little growth', seconds: [[10, 60], ...times(40, [10, 120])], collected: [1] },
    {
      title: 'not between loads that come and go',
      seconds: [[10, 60], ...times(10, [10, 200]).flatMap((rest): Second[] => [...times(9, rest), [300, 200]])],
      collected: [1],
    },
  ];
  for (const { title, seconds, collected } of lives) it(title, () => assert.deepEqual(collectedIn(seconds), collected));
});
