import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { createResponseTimeout } from './response-timeout.ts';

function createWaiting() {
  const clock = createFakeClock();
  const reads: (() => void)[] = [];
  const timeout = createResponseTimeout(clock, (work) => void reads.push(work));
  let gaveUpAt: number | undefined;
  const end = timeout.wait({ withinMs: 100, mostMs: 350 }, () => (gaveUpAt = clock.monotonicMs()));
  /** Advances the clock, and processes the reads that are due after each timer. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      await clock.advance(10);
      for (const read of reads.splice(0)) read();
    }
  }
  return { clock, reads, patience: timeout, end, pass, gaveUpAt: () => gaveUpAt };
}

describe('waiting for an answer of Redis', () => {
  it('ends when no answer at all has arrived within the time limit', async () => {
    const { pass, gaveUpAt } = createWaiting();
    await pass(90);
    assert.equal(gaveUpAt(), undefined);
    await pass(10);
    assert.equal(gaveUpAt(), 100);
  });

  it('continues while other answers arrive, up to a maximum', async () => {
    const { patience, pass, gaveUpAt } = createWaiting();
    await pass(60);
    patience.responded();
    await pass(90);
    assert.equal(gaveUpAt(), undefined);
    await pass(10);
    assert.equal(gaveUpAt(), 160);

    const other = createWaiting();
    for (let times = 0; times < 20; times += 1) {
      await other.pass(50);
      other.patience.responded();
    }
    assert.equal(other.gaveUpAt(), 350);
  });

  it('processes answers that arrived while the process was busy before it gives up', async () => {
    const { clock, reads, patience, end, gaveUpAt } = createWaiting();
    await clock.advance(5000);
    assert.equal(gaveUpAt(), undefined);
    patience.responded();
    end();
    for (const read of reads.splice(0)) read();
    assert.equal(gaveUpAt(), undefined);
  });

  it('processes pending answers before each check', async () => {
    const { clock, reads, patience, gaveUpAt } = createWaiting();
    await clock.advance(50);
    patience.responded();
    await clock.advance(50);
    for (const read of reads.splice(0)) read();
    await clock.advance(5000);
    assert.equal(gaveUpAt(), undefined);
    for (const read of reads.splice(0)) read();
    assert.equal(gaveUpAt(), 5100);
  });

  it('checks nothing after it ended', async () => {
    const { clock, reads, end } = createWaiting();
    end();
    await clock.advance(5000);
    assert.deepEqual(reads, []);
  });
});
