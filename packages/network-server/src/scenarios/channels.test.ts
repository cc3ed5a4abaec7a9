import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, understood } from '../testing/rig.ts';

const extra = { frequency: 867_100_000, minDR: 0, maxDR: 5 };

describe('an uplink', () => {
  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`of a ${macVersion} device on a frequency that is no channel is dropped and not answered`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      const uplink = device.uplink({ fPort: 1, confirmed: true });
      assert.equal(await rig.exchange({ ...uplink, frequency: 865_300_000 }), null);
      assert.deepEqual(rig.events(), []);
      assert.equal(rig.counts.get('uplinks_dropped unknown-channel'), 1);
      const next = device.uplink({ fPort: 1, confirmed: true });
      assert.ok(await rig.exchange(next));
    });
  }

  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`of a ${macVersion} device that asks for a sign of life leaves its channels known, and tells them again`, async () => {
      const rig = await createRig({ macVersion, settings: { extraChannels: [extra] } });
      const device = await rig.joined({ adr: true });
      await rig.exchange(rig.uplinkOn(device, extra.frequency));
      const unheard = await rig.exchange(device.uplink({ fPort: 1, adrAckReq: true }));
      assert.ok(unheard);
      assert.deepEqual((await rig.session())?.extraChannels, []);
      const told = rig.events().length;
      const answer = understood(device, await rig.exchange(rig.uplinkOn(device, extra.frequency)));
      assert.equal(rig.events().length, told + 1);
      assert.ok(answer && 'commands' in answer && answer.commands.includes('NewChannelReq'));
      await rig.exchange(device.uplink({ fPort: 1 }));
      const session = await rig.session();
      assert.deepEqual([session?.extraChannels.length, session?.formerChannels], [1, []]);
    });
  }
});
