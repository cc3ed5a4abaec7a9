import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { throttled } from './throttled.ts';

it('throttled work runs at once after a pause, else once for all requests of an interval', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let [now, done] = [100, 0];
  const pass = (ms: number) => {
    now += ms;
    mock.timers.tick(ms);
  };
  const ask = throttled(
    () => (done += 1),
    3,
    () => now,
  );
  const turn = () => new Promise((resolve) => process.nextTick(resolve));
  ask();
  ask();
  assert.equal(done, 0);
  await turn();
  assert.equal(done, 1);
  ask();
  await turn();
  pass(2);
  ask();
  assert.equal(done, 1);
  pass(1);
  assert.equal(done, 2);
  pass(3);
  ask();
  await turn();
  assert.equal(done, 3);
  mock.timers.reset();
});
