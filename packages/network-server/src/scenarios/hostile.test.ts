import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig } from '../testing/rig.ts';

describe('hostile frames', () => {
  it('random, truncated and changed bytes are dropped, counted and never an event', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const good = device.uplink({ fPort: 1, confirmed: true });
    let seed = 7;
    const next = () => (seed = (seed * 48271) % 2147483647);
    for (let round = 0; round < 300; round++) {
      const phyPayload = good.phyPayload.slice(0, 1 + (next() % good.phyPayload.length));
      for (let change = 0; change < 1 + (next() % 3); change++) phyPayload[next() % phyPayload.length] = next() & 0xff;
      if (phyPayload.toHex() === good.phyPayload.toHex()) continue;
      await rig.hear({ ...good, phyPayload });
    }
    await rig.clock.advance(1000);
    const events = new Set(rig.events());
    events.delete('error DATA_UP_MIC invalid MIC');
    assert.deepEqual([...events], ['up 0']);
    assert.ok((rig.counts.get('uplinks_dropped not-a-frame') ?? 0) > 20);
    assert.equal(rig.counts.get('uplinks_failed'), undefined);
    assert.deepEqual(await rig.unfinished(), []);
    await rig.exchange(good);
    assert.equal(rig.events().at(-1), 'up 1');
  });

  it('join-requests that somebody made up do not hold up the uplinks of their device', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const join = rig.joinServer.join.bind(rig.joinServer);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    rig.joinServer.join = async (request) => {
      await held;
      return await join(request);
    };
    const forged = rig.device({ devNonce: 700 }).joinRequest();
    forged.phyPayload.set([1, 2, 3, 4], forged.phyPayload.length - 4);
    await rig.hear(forged);
    await rig.clock.advance(400);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), ['up 0']);
    release();
    await rig.clock.advance(400);
    assert.equal(rig.counts.get('uplinks_dropped join-refused'), 1);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('a broken MAC command stream drops the commands, not the frame', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const uplink = rig.withCommands(device, Uint8Array.of(0x03));
    await rig.exchange(uplink);
    assert.deepEqual(rig.events(), ['up 0']);
    assert.equal(rig.counts.get('mac_streams_broken'), 1);
  });

  it('downlink frames, other majors and proprietary frames are not uplinks', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 1 });
    for (const mhdr of [0x60, 0xa0, 0x41, 0xe0]) {
      const phyPayload = uplink.phyPayload.slice();
      phyPayload[0] = mhdr;
      await rig.hear({ ...uplink, phyPayload });
    }
    await rig.clock.advance(400);
    assert.deepEqual(rig.events(), []);
    assert.equal(rig.counts.get('uplinks_dropped downlink-type'), 2);
    assert.equal(rig.counts.get('uplinks_dropped not-a-frame'), 1);
    assert.equal(rig.counts.get('uplinks_dropped proprietary'), 1);
  });

  it('a data-rate the region does not know is dropped', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 1 });
    await rig.exchange({ ...uplink, modulation: { modulation: 'LORA', bandwidth: 500, spreadingFactor: 7 } });
    assert.equal(rig.counts.get('uplinks_dropped unknown-data-rate'), 1);
  });
});
