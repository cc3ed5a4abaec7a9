import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lockWait } from './lock-wait.ts';

/** A lock of another process, and a clock that pauses advance. Each try takes 10 ms while the lock is held. */
function heldLock() {
  let nowMs = 0;
  let isHeld = true;
  let tries = 0;
  const wait = lockWait({
    nowMs: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
  });
  const write = () => {
    tries += 1;
    if (!isHeld) return 'written';
    nowMs += 10;
    throw Object.assign(new Error('database is locked'), { errcode: 5 });
  };
  return {
    /** The result of a write, and how long it took. */
    async write() {
      const [startMs, before] = [nowMs, tries];
      const result = await wait.whenUnlocked(write).catch(({ message }: Error) => message);
      return { result, tookMs: nowMs - startMs, tries: tries - before };
    },
    wait,
    advance: (ms: number) => void (nowMs += ms),
    release: () => void (isHeld = false),
    hold: () => void (isHeld = true),
  };
}

const atOnce = { result: 'database is locked', tookMs: 0, tries: 0 };

describe('the wait for a lock of another process', () => {
  it('ends after five seconds', async () => {
    const lock = heldLock();
    const { result, tookMs } = await lock.write();
    assert.equal(result, 'database is locked');
    assert.ok(tookMs >= 5000 && tookMs < 5100, String(tookMs));
    assert.ok(lock.wait.isHeldElsewhere());
  });

  it('is not repeated by later writes, which share one try in 100 ms', async () => {
    const lock = heldLock();
    await lock.write();
    assert.deepEqual(await lock.write(), atOnce);
    lock.advance(100);
    assert.deepEqual(await lock.write(), { result: 'database is locked', tookMs: 10, tries: 1 });
    assert.deepEqual(await lock.write(), atOnce);
  });

  it('ends with the lock', async () => {
    const lock = heldLock();
    await lock.write();
    lock.advance(100);
    lock.release();
    assert.deepEqual(await lock.write(), { result: 'written', tookMs: 0, tries: 1 });
    assert.ok(!lock.wait.isHeldElsewhere());
    lock.hold();
    const { tookMs } = await lock.write();
    assert.ok(tookMs >= 5000, String(tookMs));
  });

  it('begins again a second after the last try: it may be another lock', async () => {
    const lock = heldLock();
    await lock.write();
    lock.advance(1000);
    const { tookMs } = await lock.write();
    assert.ok(tookMs >= 5000, String(tookMs));
  });

  it('passes on other errors, which mean that the lock is free', async () => {
    const lock = heldLock();
    await lock.write();
    lock.advance(100);
    await assert.rejects(
      lock.wait.whenUnlocked(() => assert.fail('no such table')),
      /no such table/,
    );
    assert.ok(!lock.wait.isHeldElsewhere());
  });
});
