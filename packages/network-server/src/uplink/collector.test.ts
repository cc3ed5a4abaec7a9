import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw } from '@hilltop/protobuf';
import { BackgroundTasks } from '../platform/background-tasks.ts';
import { createFakeClock } from '../testing/fake-clock.ts';
import { type CollectedUplink, collectingAlone, UplinkCollector } from './collector.ts';

function createRig() {
  const clock = createFakeClock();
  const processed: CollectedUplink[] = [];
  const late: number[] = [];
  const collector = new UplinkCollector({
    clock,
    tasks: new BackgroundTasks(),
    policy: collectingAlone,
    delayMs: () => 200,
    process: (collected) => processed.push(collected),
    late: (id) => late.push(id),
    surplus: () => assert.fail('no surplus copies here'),
  });
  return { clock, collector, processed, late };
}

function copyOf(payload: number, gatewayID: number): gw.UplinkFrame {
  return create(gw.UplinkFrame, {
    phyPayload: Uint8Array.of(0x40, 1, 2, 3, 4, payload),
    txInfo: { frequency: 868_100_000, modulation: 'LORA', loRaModulationInfo: { spreadingFactor: 7, bandwidth: 125 } },
    rxInfo: { gatewayID: Uint8Array.of(gatewayID) },
  });
}

describe('the collector', () => {
  it('passes one uplink on with all copies of its window', async () => {
    const { clock, collector, processed } = createRig();
    const arriving = collector.expectStoring([copyOf(1, 1), copyOf(1, 2), copyOf(2, 1)]);
    for (const index of [0, 1, 2]) arriving.add(index, { id: index });
    arriving.end();
    await clock.advance(199);
    assert.equal(processed.length, 0);
    await clock.advance(1);
    assert.deepEqual(
      processed.map(({ journalIDs, rxInfo }) => [journalIDs, rxInfo.length]),
      [
        [[0, 1], 2],
        [[2], 1],
      ],
    );
  });

  it('waits for copies of the window that are not stored yet, and lets no later uplink overtake', async () => {
    const { clock, collector, processed } = createRig();
    const first = collector.expectStoring([copyOf(1, 1)]);
    first.add(0, { id: 1 });
    const slow = collector.expectStoring([copyOf(1, 2)]);
    first.end();
    await clock.advance(100);
    const second = collector.expectStoring([copyOf(2, 1)]);
    second.add(0, { id: 2 });
    second.end();
    await clock.advance(300);
    assert.equal(processed.length, 0);
    slow.add(0, { id: 3 });
    slow.end();
    await clock.advance(0);
    assert.deepEqual(
      processed.map(({ journalIDs }) => journalIDs),
      [[1, 3], [2]],
    );
  });

  it('reports a copy after the window as late', async () => {
    const { clock, collector, late } = createRig();
    collector.add(copyOf(1, 1), 1);
    await clock.advance(200);
    collector.add(copyOf(1, 2), 2);
    assert.deepEqual(late, [2]);
  });
});
