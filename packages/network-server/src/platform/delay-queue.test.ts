import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createDelayQueue } from './delay-queue.ts';

/** Records each item with the time at which it leaves the queue. */
function openLine(delayMs: number, options?: Parameters<typeof createDelayQueue>[3]) {
  const clock = createFakeClock();
  const out: string[] = [];
  const note = (item: string) => out.push(`${item}@${clock.monotonicMs()}`);
  return { clock, out, line: createDelayQueue<string>(clock, () => delayMs, note, options) };
}

/** Adds three items with pauses in milliseconds between them, and waits until all have left. */
async function addThree({ clock, line }: ReturnType<typeof openLine>, [first, second]: [number, number]) {
  line.add('a');
  await clock.advance(first);
  line.add('b');
  await clock.advance(second);
  line.add('c');
  await clock.advance(300);
}

describe('a delay queue', () => {
  it('passes each item on after the same time, in order', async () => {
    const { clock, out, line } = openLine(200);
    line.add('a');
    await clock.advance(50);
    line.add('b');
    line.add('c');
    await clock.advance(149);
    assert.deepEqual(out, []);
    await clock.advance(1);
    assert.deepEqual(out, ['a@200']);
    await clock.advance(100);
    assert.deepEqual(out, ['a@200', 'b@250', 'c@250']);
    line.add('d');
    await clock.advance(200);
    assert.deepEqual(out.at(-1), 'd@500');
  });

  it('counts the time that an item has waited elsewhere, and lets none overtake', async () => {
    const { clock, out, line } = openLine(200);
    line.add('a', 30);
    line.add('b', 300);
    await clock.advance(200);
    assert.deepEqual(out, ['a@170', 'b@170']);
  });

  it('rounds the delay to the nearest millisecond', async () => {
    const line = openLine(200);
    await addThree(line, [0.4, 0.2]);
    assert.deepEqual(line.out, ['a@200', 'b@200', 'c@200.6']);
  });

  it('lets items wait for later ones when it may gather', async () => {
    const line = openLine(200, { gatherMs: (waiting) => waiting * 5 });
    await addThree(line, [10, 2]);
    assert.deepEqual(line.out, ['a@200', 'b@220', 'c@220']);
  });

  it('passes items on together with an earlier one when they may be sooner, and a single one at its time', async () => {
    const line = openLine(200, { soonerMs: () => 20 });
    await addThree(line, [20, 1]);
    assert.deepEqual(line.out, ['a@200', 'b@200', 'c@221']);
  });

  it('passes on 32 at a time, so that other work runs between them, and all of them on flush', async () => {
    const clock = createFakeClock();
    const out: number[] = [];
    const after = (ms: number, act: () => void) => clock.after(ms, () => (out.push(0), act()));
    const line = createDelayQueue<null>(
      { ...clock, after },
      () => 200,
      () => (out[out.length - 1]! += 1),
    );
    for (let n = 0; n < 70; n += 1) line.add(null);
    await clock.advance(200);
    assert.deepEqual(out, [32, 32, 6]);
    for (let n = 0; n < 70; n += 1) line.add(null);
    line.flush();
    assert.equal(out.at(-1), 76);
  });

  it('passes everything on at a flush, and continues', async () => {
    const { clock, out, line } = openLine(200);
    line.add('a');
    line.flush();
    assert.deepEqual(out, ['a@0']);
    line.add('b');
    await clock.advance(200);
    assert.deepEqual(out, ['a@0', 'b@200']);
  });

  it('passes nothing on when cleared, and continues', async () => {
    const { clock, out, line } = openLine(200);
    line.add('a');
    line.clear();
    await clock.advance(100);
    line.add('b');
    await clock.advance(200);
    assert.deepEqual(out, ['b@300']);
  });

  it('accepts items that are added while it passes others on', async () => {
    const clock = createFakeClock();
    const out: number[] = [];
    const line = createDelayQueue<number>(
      clock,
      () => 100,
      (item) => {
        out.push(item);
        if (item < 3) line.add(item + 1);
      },
    );
    line.add(1);
    await clock.advance(300);
    assert.deepEqual(out, [1, 2, 3]);
  });
});
