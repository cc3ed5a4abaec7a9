import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../testing/fake-clock.ts';
import { watchStandStill } from './stand-still.ts';

describe('a process that stood still', () => {
  it('takes what it reads for as old as that, until it has read for as long', async () => {
    const clock = createFakeClock();
    let held: (() => void)[] | null = null;
    const after = (ms: number, work: () => void) => clock.after(ms, () => (held ? void held.push(work) : work()));
    const stood = watchStandStill({ ...clock, after });
    const age = () => clock.now().getTime() - stood.earliest();
    await clock.advance(5500);
    assert.equal(age(), 0);
    held = [];
    await clock.advance(2000);
    assert.equal(age(), 0, 'it is only busy');
    await clock.advance(10_000);
    assert.equal(age(), 10_000);
    const works = held;
    held = null;
    for (const work of works) work();
    await clock.advance(9000);
    assert.equal(age(), 19_000);
    await clock.advance(1001);
    assert.equal(age(), 0);
    stood.end();
  });
});
