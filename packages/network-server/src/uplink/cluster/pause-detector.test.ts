import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../../testing/fake-clock.ts';
import { createPauseDetector } from './pause-detector.ts';

describe('the pause detector', () => {
  it('dates arrivals back to the beginning of a pause for as long as the pause took', async () => {
    const clock = createFakeClock();
    let held: (() => void)[] | null = null;
    const after = (ms: number, work: () => void) => clock.after(ms, () => (held ? void held.push(work) : work()));
    const detector = createPauseDetector({ ...clock, after });
    const age = () => clock.now().getTime() - detector.earliestArrival();
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
    detector.stop();
  });
});
