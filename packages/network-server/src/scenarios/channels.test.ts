import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Device } from '@hilltop/simulator';
import { createRig, type Rig, understood } from '../testing/rig.ts';

const extra = { frequency: 867_100_000, minDR: 0, maxDR: 5 };

describe('an uplink', () => {
  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`of a ${macVersion} device on a frequency without a channel is dropped and not answered`, async () => {
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
    it(`of a ${macVersion} device with ADRACKReq keeps its channels known, and requests them again`, async () => {
      const rig = await createRig({ macVersion, settings: { extraChannels: [extra] } });
      const device = await rig.joined({ adr: true });
      await rig.exchange(rig.uplinkOn(device, extra.frequency));
      const unheard = await rig.exchange(device.uplink({ fPort: 1, adrAckReq: true }));
      assert.ok(unheard);
      assert.deepEqual((await rig.session())?.extraChannels, []);
      const eventCount = rig.events().length;
      const answer = understood(device, await rig.exchange(rig.uplinkOn(device, extra.frequency)));
      assert.equal(rig.events().length, eventCount + 1);
      assert.ok(answer && 'commands' in answer && answer.commands.includes('NewChannelReq'));
      await rig.exchange(device.uplink({ fPort: 1 }));
      const session = await rig.session();
      assert.deepEqual([session?.extraChannels.length, session?.formerChannels], [1, []]);
    });
  }
});

describe('channels that a network requests', () => {
  const halfAnHour = 30 * 60_000;

  /** How often, in so many uplinks half an hour apart, the network sends a downlink that the device does not answer. */
  async function countRequests({ rig, device }: { rig: Rig; device: Device }, uplinks: number): Promise<number> {
    let requests = 0;
    for (let nth = 0; nth < uplinks; nth++) {
      if (await rig.exchange(device.uplink({ fPort: 1 }))) requests += 1;
      await rig.clock.advance(halfAnHour);
    }
    return requests;
  }

  it('are requested from an ABP device once a day while it does not answer', async () => {
    const rig = await createRig({ settings: { extraChannels: [extra] } });
    const device = await rig.activated();
    assert.equal(await countRequests({ rig, device }, 48), 1);
    assert.equal(await countRequests({ rig, device }, 48), 1);
  });

  it('leave space for a queued item when they are requested from an ABP device', async () => {
    const extraChannels = [1, 3, 5, 7, 9].map((step) => ({ ...extra, frequency: 867_000_000 + step * 100_000 }));
    const rig = await createRig({ settings: { extraChannels } });
    const device = await rig.activated();
    await rig.enqueue('now');
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.ok(received && 'text' in received);
    assert.deepEqual([received.text, received.commands], ['now', ['NewChannelReq', 'NewChannelReq']]);
    for (let nth = 0; nth < 3; nth++) understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.equal((await rig.session())?.extraChannels.length, 5);
  });

  it('are requested again at once from a device that has answered and may have lost them', async () => {
    const rig = await createRig({ settings: { extraChannels: [extra] } });
    const device = await rig.activated();
    understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual((await rig.session())?.enabledChannels, [0, 1, 2, 3]);
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1, adrAckReq: true })));
    assert.deepEqual(received && 'commands' in received && received.commands, ['NewChannelReq']);
  });

  it('do not prevent other requests to an ABP device that does not answer', async () => {
    const rig = await createRig({ settings: { extraChannels: [extra], rx1Delay: 5 } });
    const device = await rig.activated({}, { adr: true });
    for (let nth = 0; nth < 20; nth++) await rig.exchange(device.uplink({ fPort: 1 }), { snr: 12 });
    const frame = await rig.exchange(device.uplink({ fPort: 1 }), { snr: 12 });
    const received = understood(device, frame);
    assert.ok(received && 'commands' in received && received.commands.includes('LinkADRReq'));
  });
});
