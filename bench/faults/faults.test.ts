import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { seededRandom } from '@hilltop/simulator';
import { runFlood } from './flood-run.ts';
import { runJump } from './jump-run.ts';
import { runKills } from './kill-run.ts';
import type { Verdict } from './ledger.ts';
import { runOutage } from './outage.ts';
import { type StorageKind, storages } from './storage.ts';
import { busy, plain } from './traffic.ts';

/** Long enough for a loaded machine. Tests wait this long only when an uplink is lost. */
const patienceMs = 60_000;
/** A device sends every 2.4 s, which is after its receive windows. */
const field = { random: seededRandom(7), devices: 36, perSecond: 15, patienceMs };
const day = 86_400_000;
/** Floods need a second loopback address and the datagram counters of the Linux kernel. */
const onLinux = { skip: existsSync('/proc/net/udp') ? false : 'needs Linux' };

function assertKept(verdict: Verdict): void {
  const { acknowledged, lostUplinks, doubled, outOfOrderUplinks, shownOutOfOrder, belated } = verdict;
  const { forgotten, counterReuse, itemsLost } = verdict;
  assert.ok(acknowledged > 0, 'some uplinks were acknowledged');
  const broken = { lostUplinks, doubled, outOfOrderUplinks, forgotten, counterReuse, itemsLost };
  const none = { lostUplinks: [], doubled: 0, outOfOrderUplinks: [], forgotten: 0, counterReuse: 0, itemsLost: 0 };
  assert.deepEqual({ ...broken, shownOutOfOrder, belated }, { ...none, shownOutOfOrder: 0, belated: 0 });
}

/** Skips the test, with a reason, on machines that cannot simulate this outage. */
async function outage(context: TestContext, kind: StorageKind) {
  const storage = await storages[kind]().catch((error: Error) => context.skip(error.message));
  if (!storage) return;
  const { healthAsked, healthWell, ...verdict } = await runOutage(
    { storage, seconds: 3 },
    { ...field, habits: busy, aroundMs: 2000 },
  );
  assertKept(verdict);
  assert.equal(healthWell, 0, `/health said ${healthWell} of ${healthAsked} times that all is well`);
}

describe('a server with faults', () => {
  it('loses nothing acknowledged when it is killed', async () => {
    assertKept(await runKills(4, { ...field, habits: busy, shortestMs: 300, longestMs: 1500 }));
  });

  it('loses nothing acknowledged when PostgreSQL stops', (context) => outage(context, 'PostgreSQL stopped'));
  it('loses nothing acknowledged when the disk is full', (context) => outage(context, 'disk full'));

  it('loses nothing acknowledged when the clock jumps', async () => {
    const { statisticsLost, ...verdict } = await runJump(day, { ...field, habits: busy, eachMs: 2000 });
    assertKept(verdict);
    assert.equal(statisticsLost, 0);
  });

  it('ignores a TX_ACK from another address than the gateway', onLinux, async () => {
    const { believed, lost } = await runFlood('guessed TX_ACK from elsewhere', {
      ...field,
      habits: { ...plain, queued: 0.5 },
      restMs: 1500,
    });
    assert.deepEqual({ believed, lost }, { believed: 0, lost: 0 });
  });

  it('retains the events of a device whose address an attacker forges', onLinux, async () => {
    const { displaced, lost } = await runFlood('forged frames on a known address', {
      ...field,
      habits: plain,
      share: 0.05,
      restMs: 1500,
    });
    assert.deepEqual({ displaced, lost }, { displaced: 0, lost: 0 });
  });

  it('acknowledges or counts each uplink of an overload', onLinux, async () => {
    const { uncounted, lost } = await runFlood('three times too many uplinks', {
      ...field,
      habits: plain,
      share: 0.5,
      restMs: 1500,
    });
    assert.deepEqual({ uncounted, lost }, { uncounted: 0, lost: 0 });
  });
});
