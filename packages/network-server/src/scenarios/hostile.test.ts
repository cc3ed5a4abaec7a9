import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transmission } from '@hilltop/simulator';
import { createRig, devEUI } from '../testing/rig.ts';

describe('hostile frames', () => {
  it('random, truncated and changed bytes are dropped and counted, and never cause an event', async () => {
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
      await rig.receiveFrame({ ...good, phyPayload });
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

  /** A frame of the device with its counter, and a different MIC each time. */
  const forgedOf = ({ phyPayload, ...sent }: Transmission, nth: number): Transmission => {
    const forged = phyPayload.slice();
    new DataView(forged.buffer).setUint32(forged.length - 4, nth + 1);
    return { ...sent, phyPayload: forged };
  };

  it('frames with a wrong MIC cause one error event a minute, and the next one has the number of the others', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 1 });
    for (let nth = 0; nth < 300; nth += 1) await rig.receiveFrame(forgedOf(uplink, nth));
    await rig.clock.advance(1000);
    assert.deepEqual(rig.events(), ['error DATA_UP_MIC invalid MIC']);
    assert.equal(rig.counts.get('uplinks_dropped wrong-mic'), 300);
    assert.equal(rig.counts.get('error_events_left_out DATA_UP_MIC'), 299);
    await rig.clock.advance(60_000);
    await rig.exchange(forgedOf(uplink, 300));
    assert.deepEqual(rig.events().slice(1), ['error DATA_UP_MIC invalid MIC (299 more since the last error)']);
    await rig.exchange(uplink);
    assert.equal(rig.events().at(-1), 'up 0');
  });

  it('replayed frames cause one error event a minute', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 1 });
    await rig.exchange(uplink);
    for (let times = 0; times < 20; times += 1) await rig.exchange(uplink);
    assert.deepEqual(rig.events(), ['up 0', 'error DATA_UP_FCNT_RETRANSMISSION counter did not increment']);
  });

  it('frames with a wrong MIC do not delay the real frames of the device', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const uplink = device.uplink({ fPort: 1 });
    for (let nth = 0; nth < 10; nth += 1) await rig.receiveFrame(forgedOf(uplink, nth));
    await rig.clock.advance(300);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    rig.application.hold(devEUI, held);
    await rig.receiveFrame(uplink);
    await rig.clock.advance(300);
    for (let nth = 10; nth < 210; nth += 1) await rig.receiveFrame(forgedOf(uplink, nth));
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(300);
    assert.ok((await rig.unfinished()).length <= 2 + 20, `${(await rig.unfinished()).length} copies wait`);
    release();
    await rig.clock.advance(300);
    assert.deepEqual(
      rig.events().filter((event) => event.startsWith('up')),
      ['up 0', 'up 1', 'up 2'],
    );
    assert.equal(rig.counts.get('uplinks_dropped wrong-mic'), 210);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('forged join-requests do not delay the uplinks of their device', async () => {
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
    await rig.receiveFrame(forged);
    await rig.clock.advance(400);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), ['up 0']);
    release();
    await rig.clock.advance(400);
    assert.equal(rig.counts.get('uplinks_dropped join-refused'), 1);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('an invalid MAC command stream drops the commands, not the frame', async () => {
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
      await rig.receiveFrame({ ...uplink, phyPayload });
    }
    await rig.clock.advance(400);
    assert.deepEqual(rig.events(), []);
    assert.equal(rig.counts.get('uplinks_dropped downlink-type'), 2);
    assert.equal(rig.counts.get('uplinks_dropped not-a-frame'), 1);
    assert.equal(rig.counts.get('uplinks_dropped proprietary'), 1);
  });

  it('a data-rate that the region does not define is dropped', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 1 });
    await rig.exchange({ ...uplink, modulation: { modulation: 'LORA', bandwidth: 500, spreadingFactor: 7 } });
    assert.equal(rig.counts.get('uplinks_dropped unknown-data-rate'), 1);
  });
});
