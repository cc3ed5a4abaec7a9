import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@hilltop/simulator';
import { noInstances } from '../../apps/server/src/testing/test-app.ts';
import { type FaultStep, runFaultSteps } from './instance-run.ts';
import { busy } from './traffic.ts';

/** The other faults take minutes; `npm run bench -- scale` has them. */
const blows: FaultStep[] = [
  { fault: 'killed', seconds: 1 },
  { fault: 'standing still', seconds: 5 },
  { fault: 'Redis killed', seconds: 2 },
  { fault: 'PostgreSQL ended', seconds: 1 },
  { fault: 'flows moved', seconds: 3 },
];

describe('three instances with faults', { skip: noInstances }, () => {
  it('lose nothing acknowledged when an instance, PostgreSQL or Redis fails', async () => {
    const verdict = await runFaultSteps(blows, {
      instances: 3,
      random: seededRandom(7),
      devices: 18,
      perSecond: 8,
      habits: busy,
      patienceMs: 60_000,
      restMs: 500,
    });
    const { acknowledged, lostUplinks, doubled, outOfOrderUplinks, shownOutOfOrder } = verdict;
    const { forgotten, counterReuse, itemsLost } = verdict;
    assert.ok(acknowledged > 0, 'some uplinks were acknowledged');
    const broken = { lostUplinks, doubled, outOfOrderUplinks, shownOutOfOrder, forgotten, counterReuse, itemsLost };
    const none = { lostUplinks: [], doubled: 0, outOfOrderUplinks: [], shownOutOfOrder: 0 };
    assert.deepEqual(broken, { ...none, forgotten: 0, counterReuse: 0, itemsLost: 0 });
  });
});
