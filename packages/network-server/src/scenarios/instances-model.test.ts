import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrame, isDataFrame } from '@hilltop/lorawan';
import { seededRandom } from '@hilltop/simulator';
import { createFakeCopies } from '../testing/fake-copies.ts';
import { createRig, gatewayIDs } from '../testing/rig.ts';

/** HILLTOP_MODEL_RUNS=500 for a long run, HILLTOP_MODEL_SEED=7 for a single seed. */
const runs = Number(process.env['HILLTOP_MODEL_RUNS'] ?? 12);
const only = process.env['HILLTOP_MODEL_SEED'];
const seeds = only === undefined ? Array.from({ length: runs }, (_, nth) => nth + 1) : [Number(only)];
const steps = 40;
const count = 3;
/** Devices do not send again before their windows are over. */
const betweenMs = 1000;

/**
 * Three processes on one state, any of which may receive uplinks, end and restart, while messages between them get
 * lost.
 */
async function live(seed: number) {
  const random = seededRandom(seed);
  const chance = (share: number) => random() < share;
  const below = (most: number) => Math.floor(random() * most);
  const copies = createFakeCopies();
  const rig = await createRig({ copies: () => copies.side() });
  const device = await rig.joined();
  const processes = await Promise.all(Array.from({ length: count }, () => rig.companion()));
  const received: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    const fCnt = device.session!.fCntUp;
    const uplink = device.uplink({ fPort: 5, confirmed: chance(0.3) });
    for (let copy = below(4); copy > 0; copy -= 1) {
      copies.isAway = chance(0.2);
      const at = below(count);
      await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[below(2)]! }, processes[at]);
      if (received.at(-1) !== fCnt) received.push(fCnt);
      if (chance(0.5)) await rig.clock.advance(below(150));
      if (!chance(0.15)) continue;
      processes[at]!.die();
      processes[at] = await rig.companion();
    }
    if (chance(0.2)) await rig.enqueue(`step ${step}`);
    await rig.clock.advance(betweenMs + below(2000));
  }
  for (let seconds = 0; seconds < 10; seconds += 1) await rig.clock.advance(1000);
  return { rig, received };
}

describe('processes that share a state, with random failures', () => {
  for (const seed of seeds)
    it(`seed ${seed}: process each uplink once and in order, and never send two contents with one counter`, async () => {
      const { rig, received } = await live(seed);
      const counters = rig.application.calls.flatMap((one) => (one.event === 'up' ? [one.fCnt] : []));
      assert.deepEqual(counters, received);
      const errors = rig.application.calls.filter(({ event }) => event === 'error');
      assert.deepEqual([errors, await rig.unfinished()], [[], []]);
      const contents = new Map<number, Set<string>>();
      for (const { phyPayload } of rig.sent.flatMap(({ items }) => items)) {
        const frame = decodeFrame(phyPayload);
        if (!isDataFrame(frame)) continue;
        contents.set(frame.fCnt, (contents.get(frame.fCnt) ?? new Set()).add(phyPayload.toHex()));
      }
      assert.deepEqual(
        [...contents].filter(([, { size }]) => size > 1),
        [],
      );
    });
});
