import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { regions } from '@hilltop/lorawan';
import { createRig } from '../testing/rig.ts';

describe('every region', () => {
  for (const { name } of regions)
    it(`accepts the join of a device of ${name}, and answers it in both windows`, async () => {
      const rig = await createRig({ region: name });
      const device = await rig.joined();
      const downlink = await rig.exchange(device.uplink({ fPort: 7, data: Uint8Array.of(1), confirmed: true }));
      assert.equal(downlink?.items.length, 2);
      const received = device.receive(downlink!.items[0]!.phyPayload);
      assert.equal(received.kind === 'data' && received.acknowledged, true);
      assert.deepEqual(
        rig.application.calls.map(({ event }) => event),
        ['up'],
      );
      const { region } = await rig.server.service.getVersion({});
      assert.equal(region, name.replace('-', '_'));
    });
});
