import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Uplink } from '../radio/uplink.ts';
import type { DeviceSession } from '../state/session.ts';
import { createFakeClock } from '../testing/fake-clock.ts';
import { alwaysInOrder, outOfOrderAmongPeers } from './out-of-order-uplinks.ts';

const clock = createFakeClock();
const now = clock.now().getTime();
const sessionAt = (fCntUp: number, missed: number[] = []) =>
  ({ fCntUp, missed, lastUplinkAt: now - 5000 }) as unknown as DeviceSession;

describe('uplinks among peers', () => {
  it('remember the latest 256 missing counters', () => {
    const session = sessionAt(10, [3]);
    outOfOrderAmongPeers(clock).noteMissed(session, 12);
    assert.deepEqual(session.missed, [3, 10, 11]);
    outOfOrderAmongPeers(clock).noteMissed(session, 1000);
    assert.equal(session.missed.length, 256);
    assert.deepEqual([session.missed[0], session.missed.at(-1)], [744, 999]);
    const later = sessionAt(2000, [...session.missed]);
    outOfOrderAmongPeers(clock).noteMissed(later, 2002);
    assert.deepEqual([later.missed.length, later.missed.at(-1)], [256, 2001]);
  });

  it('may precede the last one when they arrived before its first receive window', () => {
    const { mayPrecedeLast } = outOfOrderAmongPeers(clock);
    const uplinkAt = (receivedAt: number, isTooLateToAnswer = false) => ({ receivedAt, isTooLateToAnswer }) as Uplink;
    assert.equal(mayPrecedeLast(sessionAt(1), uplinkAt(now - 4001)), true);
    assert.equal(mayPrecedeLast(sessionAt(1), uplinkAt(now - 4000)), false);
    assert.equal(mayPrecedeLast(sessionAt(1), uplinkAt(now, true)), true);
  });
});

it('a single process remembers no missing counters', () => {
  const session = sessionAt(10);
  alwaysInOrder.noteMissed(session, 20);
  assert.deepEqual(session.missed, []);
});
