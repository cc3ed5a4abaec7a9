import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAwaitedGateways } from './awaited-gateways.ts';

it('returns each waiting device once, with the first of its gateways that connects', () => {
  const awaited = createAwaitedGateways();
  awaited.add('one', ['a', 'b']);
  awaited.add('two', ['b']);
  assert.deepEqual(awaited.take('a'), ['one']);
  assert.deepEqual(awaited.take('b'), ['two']);
  assert.deepEqual(awaited.take('b'), []);
});

it('drops the devices that have waited longest instead of growing without limit', () => {
  const awaited = createAwaitedGateways();
  for (let nth = 0; nth <= 10_000; nth += 1) awaited.add(`device ${nth}`, ['a']);
  const waiting = awaited.take('a');
  assert.deepEqual([waiting.length, waiting[0]], [10_000, 'device 1']);
});
