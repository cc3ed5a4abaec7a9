import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFakeClock } from '../../../packages/network-server/src/testing/fake-clock.ts';
import { createLineLimit } from './line-limit.ts';

it('a limit of lines writes ten a second, and then how many it left out', async () => {
  const clock = createFakeClock();
  const lines: unknown[] = [];
  const limited = createLineLimit(
    { clock, log: { warn: (fields: unknown) => void lines.push(fields) } as never },
    'call',
  );
  const write = (times: number) => {
    for (let n = 0; n < times; n++) limited(() => void lines.push(n));
  };
  write(25);
  assert.deepEqual(lines.splice(0), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await clock.advance(1000);
  assert.deepEqual(lines.splice(0), [{ kind: 'call', leftOut: 15 }]);
  write(2);
  await clock.advance(1000);
  assert.deepEqual(lines, [0, 1]);
});
