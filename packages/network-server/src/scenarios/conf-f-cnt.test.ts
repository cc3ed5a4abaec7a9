import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, type Rig, understood } from '../testing/rig.ts';

/** A 1.1 device that has received a confirmed downlink, which its next uplink acknowledges. */
async function owing() {
  const rig = await createRig({ macVersion: '1.1.0' });
  const device = await rig.joined();
  await rig.exchange(device.uplink({ fPort: 1 }));
  const first = await rig.enqueue('first', { confirmed: true });
  understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
  return { rig, device, first };
}

const acks = (rig: Rig) => rig.events().filter((event) => event.startsWith('ack'));

describe('the MIC of a 1.1 uplink with an acknowledgement', () => {
  it('is valid in a repetition after another confirmed downlink that was not received', async () => {
    const { rig, device, first } = await owing();
    await rig.enqueue('second', { confirmed: true });
    const unheard = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.ok(unheard);
    await rig.clock.advance(2600);
    const received = understood(device, await rig.exchange(device.repeat(), { tmst: 4_000_000 }));
    assert.ok(received && 'acknowledged' in received && received.acknowledged);
    assert.equal(acks(rig)[0], `ack ${first} true`);
    assert.equal(rig.events().filter((event) => event.startsWith('error')).length, 0);
  });

  it('is valid in an uplink that was sent before another confirmed downlink', async () => {
    const rig = await createRig({ macVersion: '1.1.0' });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('first', { confirmed: true });
    const asked = device.uplink({ fPort: 1, confirmed: true });
    understood(device, await rig.exchange(asked));
    const acknowledging = device.uplink({ fPort: 1 });
    const second = await rig.enqueue('second', { confirmed: true });
    await rig.clock.advance(3000);
    assert.ok(await rig.exchange(asked, { tmst: 4_000_000 }));
    await rig.exchange(acknowledging);
    assert.ok(rig.events().includes('up 2'));
    assert.ok(!acks(rig).includes(`ack ${second} true`), 'nobody has heard the second');
  });
});
