import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, understood } from '../testing/rig.ts';

/** `next` is what the session expects, `sent` the full counter of the device. */
const cases = [
  { title: 'the expected one', next: 10, sent: 10, events: ['up 10'], after: 11 },
  { title: 'a gap', next: 10, sent: 500, events: ['up 500'], after: 501 },
  { title: 'a gap of more than 16384', next: 10, sent: 30_000, events: ['up 30000'], after: 30_001 },
  { title: 'the first one', next: 0, sent: 0, events: ['up 0'], after: 1 },
  { title: 'the last of 16 bits', next: 65_535, sent: 65_535, events: ['up 65535'], after: 65_536 },
  { title: 'the first beyond 16 bits', next: 65_536, sent: 65_536, events: ['up 65536'], after: 65_537 },
  { title: 'a gap over the turn', next: 65_530, sent: 65_540, events: ['up 65540'], after: 65_541 },
  { title: 'the second turn', next: 131_070, sent: 131_077, events: ['up 131077'], after: 131_078 },
  {
    title: 'the same again',
    next: 10,
    sent: 9,
    events: ['error DATA_UP_FCNT_RETRANSMISSION counter did not increment'],
    after: 10,
  },
  {
    title: 'the same again at the turn',
    next: 65_536,
    sent: 65_535,
    events: ['error DATA_UP_FCNT_RETRANSMISSION counter did not increment'],
    after: 65_536,
  },
  {
    title: 'an older one',
    next: 10,
    sent: 3,
    events: ['error DATA_UP_FCNT_RESET counter did not increment'],
    after: 10,
  },
  {
    title: 'a device that started again after the turn',
    next: 70_000,
    sent: 0,
    events: ['error DATA_UP_FCNT_RESET counter did not increment'],
    after: 70_000,
  },
  {
    title: 'an older one of another turn',
    next: 70_000,
    sent: 66_000,
    events: ['error DATA_UP_MIC invalid MIC'],
    after: 70_000,
  },
  { title: 'a gap of a whole turn', next: 10, sent: 70_000, events: ['error DATA_UP_MIC invalid MIC'], after: 10 },
  { title: 'excused: an older one', next: 10, sent: 3, skip: true, events: ['up 3'], after: 4 },
  { title: 'excused: the same again', next: 10, sent: 9, skip: true, events: ['up 9'], after: 10 },
  { title: 'excused: a device that started again', next: 70_000, sent: 0, skip: true, events: ['up 0'], after: 1 },
];

describe('frame counter', () => {
  for (const { title, next, sent, skip = false, events, after } of cases) {
    it(`${title}: ${sent} where ${next} is expected`, async () => {
      const rig = await createRig({ device: { skipFCntCheck: skip } });
      const device = await rig.activated({ fCntUp: next });
      const sending = rig.sameDeviceAt(device, sent);
      await rig.exchange(sending.uplink({ fPort: 1 }));
      assert.deepEqual(rig.events(), events);
      const session = await rig.session();
      assert.equal(session?.fCntUp, after);
      if (skip) assert.equal(session?.uplinkHistory.length, 1);
      assert.deepEqual(await rig.unfinished(), []);
    });
  }

  it('a replayed frame causes only its own event', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const uplink = device.uplink({ fPort: 1, adrAckReq: true });
    assert.ok(await rig.exchange(uplink));
    await rig.clock.advance(10_000);
    assert.equal(await rig.exchange(uplink), null);
    assert.deepEqual(rig.events(), ['up 0', 'error DATA_UP_FCNT_RETRANSMISSION counter did not increment']);
  });

  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`a repeated confirmed frame is acknowledged again, without an event (${macVersion})`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      device.ask('LinkCheckReq');
      const first = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
      await rig.clock.advance(3000);
      const tmst = 4_000_000;
      const again = await rig.exchange(device.repeat(), { tmst });
      assert.notDeepEqual(again?.items[0]?.phyPayload, first?.items[0]?.phyPayload);
      assert.equal(again?.items[0]?.txInfo?.context.toHex(), '003d0900');
      const received = understood(device, again);
      assert.ok(received && 'acknowledged' in received && received.acknowledged);
      assert.ok(received.commands.includes('LinkCheckAns'));
      assert.deepEqual(rig.events(), ['up 0']);
      assert.equal((await rig.session())?.uplinkHistory.length, 1);
      assert.deepEqual(await rig.unfinished(), []);
      await rig.exchange(device.uplink({ fPort: 1 }));
      assert.deepEqual(rig.events(), ['up 0', 'up 1']);
    });
  }

  it('a confirmed frame is answered only as often as a device can repeat it', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const uplink = device.uplink({ fPort: 1, confirmed: true });
    for (let times = 0; times < 20; times++) {
      await rig.exchange(uplink);
      await rig.clock.advance(10_000);
    }
    assert.equal(rig.sent.length, 16);
  });

  it('reports 20 refused frames of a device in an hour, and then the number of the others', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const stranger = rig.sameDeviceAt(device, 0);
    const old = stranger.uplink({ fPort: 1 });
    for (let uplink = 0; uplink < 3; uplink++) await rig.exchange(device.uplink({ fPort: 1 }));
    const replay = async () => {
      await rig.clock.advance(60_000);
      await rig.exchange(old);
    };
    for (let times = 0; times < 25; times++) await replay();
    const { frames } = rig.application;
    assert.equal(frames.length, 20);
    assert.ok(
      frames.every(({ dropped, leftOut, frame }) => dropped === 'fcnt-reset' && leftOut === 0 && frame.fCnt === 0),
    );
    assert.equal(rig.counts.get('dropped_frames_left_out'), 5);
    await rig.clock.advance(3_600_000);
    await replay();
    assert.deepEqual([frames.length, frames.at(-1)?.leftOut], [21, 5]);
  });

  it('two devices with one DevAddr are distinguished by their keys', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const twin = await rig.addTwin(device);
    await rig.exchange(twin.uplink({ fPort: 2 }));
    await rig.exchange(device.uplink({ fPort: 1 }));
    const ups = rig.application.calls.filter((call) => call.event === 'up');
    assert.deepEqual(
      ups.map((up) => up.devEUI),
      [twin.devEUI, device.devEUI],
    );
  });

  it('of two uplinks with one counter, one is accepted', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const uplink = device.uplink({ fPort: 1 });
    await rig.receiveFrame(uplink);
    await rig.receiveFrame({ ...uplink, frequency: uplink.frequency === 868_100_000 ? 868_300_000 : 868_100_000 });
    await rig.clock.advance(400);
    assert.deepEqual(rig.events(), ['up 0']);
    assert.equal(rig.counts.get('uplinks_dropped late-copy'), 1);
    assert.equal((await rig.session())?.fCntUp, 1);
  });

  it('uplinks of one device that are processed together keep their order', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    for (let uplink = 0; uplink < 10; uplink++) await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    assert.deepEqual(
      rig.events(),
      Array.from({ length: 10 }, (_, fCnt) => `up ${fCnt}`),
    );
  });

  it('a disabled device is ignored without an event', async () => {
    const rig = await createRig({ device: { isDisabled: true } });
    const device = await rig.activated();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.exchange(rig.sameDeviceAt(device, 0).uplink({ fPort: 1 }));
    const stranger = await rig.activated({}, { wrongKey: true });
    await rig.exchange(stranger.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), []);
  });

  it('an unknown DevAddr belongs to no device', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    await rig.server.service.deactivateDevice({ devEui: Uint8Array.fromHex(device.devEUI) });
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), []);
    assert.equal(rig.counts.get('uplinks_dropped unknown-device'), 1);
  });
});
