import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  airtime,
  decodeFrame,
  encodeMacCommands,
  gpsTimeOf,
  type MacCommandOf,
  macCommand,
  nextPingSlot,
} from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Device } from '@hilltop/simulator';
import { createRig, devEUI, gatewayIDs, type Rig, type RigOptions, understood } from '../testing/rig.ts';

const classBTimeout = 30;
const deviceProfile = { supportsClassB: true, classBTimeout, pingSlotPeriod: 0, pingSlotDr: 3, pingSlotFreq: 0 };

/** A device that opens a ping slot every 2^periodicity seconds and already has the settings of the network. */
async function listening({ periodicity = 3, ...options }: RigOptions & { periodicity?: number } = {}) {
  const rig = await createRig({ deviceProfile, ...options });
  const device = await rig.joined({ classB: { periodicity } });
  for (let uplinks = 0; uplinks < 3; uplinks++) {
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    if (answer) understood(device, answer);
    await rig.clock.advance(10_000);
  }
  rig.sent.length = 0;
  return { rig, device };
}

const gpsNow = (rig: Rig) => gpsTimeOf(rig.clock.now());

function slotOf(frame: gw.DownlinkFrame | undefined): number {
  const txInfo = frame?.items[0]?.txInfo;
  assert.equal(txInfo?.timing, 'GPS_EPOCH');
  return txInfo.gpsEpochTimingInfo!.timeSinceGPSEpoch!;
}

function fCntOf(frame: gw.DownlinkFrame | undefined): number {
  const decoded = decodeFrame(frame?.items[0]?.phyPayload ?? new Uint8Array());
  return 'fCnt' in decoded ? decoded.fCnt : -1;
}

/** Advances the clock until so many frames were sent. */
async function untilSent(rig: Rig, count: number): Promise<void> {
  for (let step = 0; step < 4000 && rig.sent.length < count; step++) await rig.clock.advance(100);
  assert.equal(rig.sent.length, count);
}

/** What the device receives in the slot of a frame; null when it does not listen there. */
function receivedInSlot(device: Device, frame: gw.DownlinkFrame | undefined): string | null {
  const txInfo = frame?.items[0]?.txInfo;
  const window = device.pingSlotAt(slotOf(frame));
  if (window?.frequency !== txInfo?.frequency) return null;
  if (window?.modulation.modulation !== 'LORA') return null;
  if (window.modulation.spreadingFactor !== txInfo?.loRaModulationInfo?.spreadingFactor) return null;
  const arrived = understood(device, frame ?? null);
  return arrived && 'text' in arrived ? arrived.text : null;
}

describe('class B downlink', () => {
  it('begins when the device reports that it receives beacons, in the slots that it reported', async () => {
    const { rig, device } = await listening({ periodicity: 5 });
    const session = await rig.session();
    assert.deepEqual([session?.mode, session?.beaconLocked, session?.pingSlotNb], ['B', true, 4]);
    assert.deepEqual([session?.pingSlotDR, session?.pingSlotFrequency], [3, 0]);
    assert.ok(device.pingSlotAt(nextPingSlot(session!.devAddr, gpsNow(rig), 4)));
  });

  for (const [region, periodicity] of [
    ['EU868', 0],
    ['EU868', 3],
    ['US915', 4],
    ['AS923', 7],
  ] as const) {
    it(`is sent in the next slot of the device (${region}, every ${2 ** periodicity} s)`, async () => {
      const { rig, device } = await listening({
        region,
        periodicity,
        deviceProfile: { ...deviceProfile, pingSlotDr: region === 'US915' ? 8 : 3 },
      });
      const { devAddr } = device.session!;
      const enqueuedAt = gpsNow(rig);
      await rig.enqueue('in the slot');
      await untilSent(rig, 1);
      const slot = slotOf(rig.sent[0]);
      assert.equal(slot, nextPingSlot(devAddr, enqueuedAt + 5000, 2 ** (7 - periodicity)));
      assert.ok(slot - gpsNow(rig) <= 2000 && slot - gpsNow(rig) > 1800, `${slot - gpsNow(rig)} ms before`);
      assert.equal(receivedInSlot(device, rig.sent[0]), 'in the slot');
    });
  }

  it('uses one slot after the other, and announces the next downlink', async () => {
    const { rig, device } = await listening({ periodicity: 0 });
    const { devAddr } = device.session!;
    const after = gpsNow(rig) + 5000;
    for (const text of ['one', 'two', 'three']) await rig.enqueue(text);
    const pending: unknown[] = [];
    for (let nth = 1; nth <= 3; nth++) {
      await untilSent(rig, nth);
      const arrived = understood(device, rig.sent[nth - 1]!);
      pending.push(arrived && 'text' in arrived && [arrived.text, arrived.fPending]);
      await rig.acknowledge(rig.sent[nth - 1]!);
    }
    assert.deepEqual(pending, [
      ['one', true],
      ['two', true],
      ['three', false],
    ]);
    const first = nextPingSlot(devAddr, after, 128);
    const second = nextPingSlot(devAddr, first, 128);
    assert.deepEqual(rig.sent.map(slotOf), [first, second, nextPingSlot(devAddr, second, 128)]);
  });

  it('contains no MAC commands', async () => {
    const { rig, device } = await listening({ serviceProfile: { devStatusReqFreq: 24 } });
    await rig.clock.advance(3_600_000);
    await rig.enqueue('data');
    await untilSent(rig, 1);
    const arrived = understood(device, rig.sent[0]!);
    assert.deepEqual(arrived && 'commands' in arrived && arrived.commands, []);
  });

  it('without an answer of its gateway is sent again as the same frame in a later slot', async () => {
    const { rig, device } = await listening();
    await rig.enqueue('hello?');
    await untilSent(rig, 2);
    assert.deepEqual(rig.sent[1]?.items[0]?.phyPayload, rig.sent[0]?.items[0]?.phyPayload);
    assert.ok(slotOf(rig.sent[1]) > slotOf(rig.sent[0]));
    assert.equal(receivedInSlot(device, rig.sent[1]), 'hello?');
  });

  it('that a gateway without GPS refused is sent by another one, with a new counter', async () => {
    const { rig, device } = await listening();
    const uplink = device.uplink({ fPort: 1 });
    await rig.receiveFrame(uplink);
    await rig.exchange(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(10_000);
    rig.sent.length = 0;
    await rig.enqueue('again');
    await untilSent(rig, 1);
    await rig.acknowledge(rig.sent[0]!, 'GPS_UNLOCKED');
    await untilSent(rig, 2);
    assert.notDeepEqual(rig.sent[1]?.gatewayID, rig.sent[0]?.gatewayID);
    assert.notDeepEqual(rig.sent[1]?.items[0]?.phyPayload, rig.sent[0]?.items[0]?.phyPayload);
    assert.equal(receivedInSlot(device, rig.sent[1]), 'again');
    assert.equal(rig.events().at(-1), 'error DATA_DOWN_GATEWAY GPS_UNLOCKED');
  });

  it('skips a gateway without GPS for an hour, and is sent in RX1 when no other gateway receives the device', async () => {
    const { rig, device } = await listening();
    await rig.enqueue('later');
    await untilSent(rig, 1);
    await rig.acknowledge(rig.sent[0]!, 'GPS_UNLOCKED');
    await rig.clock.advance(20 * 60_000);
    assert.equal(rig.sent.length, 1);
    assert.equal(rig.events().filter((event) => event.startsWith('error')).length, 1);
    assert.equal((await rig.session())?.nFCntDown, fCntOf(rig.sent[0]) + 1);
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(answer?.items[0]?.txInfo?.timing, 'DELAY');
    const arrived = understood(device, answer);
    assert.equal(arrived && 'text' in arrived && arrived.text, 'later');
    await rig.enqueue('in a slot again');
    await rig.clock.advance(40 * 60_000 - 30_000);
    assert.equal(rig.sent.length, 2);
    await untilSent(rig, 3);
    assert.equal(receivedInSlot(device, rig.sent[2]), 'in a slot again');
  });

  it('skips a gateway without GPS while another one receives the device', async () => {
    const { rig, device } = await listening();
    const uplink = device.uplink({ fPort: 1 });
    await rig.receiveFrame(uplink);
    await rig.exchange(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(10_000);
    rig.sent.length = 0;
    for (const text of ['one', 'two', 'three']) await rig.enqueue(text);
    await untilSent(rig, 1);
    const refused = rig.sent[0]!.gatewayID;
    await rig.acknowledge(rig.sent[0]!, 'GPS_UNLOCKED');
    for (let sent = 2; sent <= 4; sent += 1) {
      await untilSent(rig, sent);
      await rig.acknowledge(rig.sent[sent - 1]!);
    }
    assert.ok(rig.sent.slice(1).every(({ gatewayID }) => gatewayID.toHex() !== refused.toHex()));
    assert.deepEqual(await rig.state.queue(devEUI), []);
  });

  it('that is confirmed fails after its timeout', async () => {
    const { rig, device } = await listening();
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await rig.enqueue('next');
    await untilSent(rig, 1);
    await rig.acknowledge(rig.sent[0]!);
    const slot = slotOf(rig.sent[0]);
    await rig.clock.advance(slot + classBTimeout * 1000 - gpsNow(rig) - 1);
    assert.equal(rig.events().includes(`ack ${fCnt} false`), false);
    assert.equal(rig.sent.length, 1);
    await rig.clock.advance(1);
    assert.equal(rig.events().at(-1), `ack ${fCnt} false`);
    await untilSent(rig, 2);
    assert.equal(receivedInSlot(device, rig.sent[1]), 'next');
  });

  it('that is confirmed waits 5 s after the slot when the device-profile has no timeout', async () => {
    const { rig } = await listening({ deviceProfile: { ...deviceProfile, classBTimeout: 0 } });
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await untilSent(rig, 1);
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(slotOf(rig.sent[0]) + 5000 - gpsNow(rig) - 1);
    assert.equal(rig.events().includes(`ack ${fCnt} false`), false);
    await rig.clock.advance(1);
    assert.equal(rig.events().at(-1), `ack ${fCnt} false`);
  });

  it('that is confirmed is complete with the ACK of the device', async () => {
    const { rig, device } = await listening();
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await untilSent(rig, 1);
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(2000);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'sure?');
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(rig.events().at(-1), `ack ${fCnt} true`);
    assert.deepEqual(await rig.state.queue(devEUI), []);
  });

  it('becomes one of class A when the device loses the beacon, and has a slot again afterwards', async () => {
    const { rig, device } = await listening({ periodicity: 7 });
    await rig.enqueue('one');
    await rig.enqueue('two');
    await rig.clock.advance(0);
    const [planned] = await rig.state.queue(devEUI);
    assert.ok(planned?.pingSlotAt);
    device.receivesBeacons = false;
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(answer?.items[0]?.txInfo?.timing, 'DELAY');
    assert.equal((await rig.session())?.mode, 'A');
    await rig.clock.advance(300_000);
    assert.equal(rig.sent.length, 1);
    device.receivesBeacons = true;
    const next = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(next?.items[0]?.txInfo?.timing, 'DELAY');
    await rig.enqueue('three');
    rig.sent.length = 0;
    await untilSent(rig, 1);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'three');
  });

  it('uses other slots when the device reports them', async () => {
    const { rig, device } = await listening({ periodicity: 7 });
    await rig.enqueue('soon');
    await rig.clock.advance(0);
    const session = (await rig.session())!;
    await rig.state.commit({ writes: [{ kind: 'saveSession', session: { ...session, pingSlotNb: 64 } }], effects: [] });
    await untilSent(rig, 1);
    const slot = slotOf(rig.sent[0]);
    assert.equal(nextPingSlot(device.session!.devAddr, slot - 1, 64), slot);
  });

  it('waits until the device has reported its slots', async () => {
    const { rig } = await listening();
    const session = (await rig.session())!;
    await rig.state.commit({ writes: [{ kind: 'saveSession', session: { ...session, pingSlotNb: 0 } }], effects: [] });
    await rig.enqueue('when?');
    await rig.clock.advance(600_000);
    assert.equal(rig.sent.length, 0);
    assert.equal((await rig.state.queue(devEUI)).length, 1);
  });

  it('is sent in RX1 when the device sends an uplink before its slot, and not again in the slot', async () => {
    const { rig, device } = await listening({ periodicity: 7 });
    await rig.enqueue('sooner');
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(answer?.items[0]?.txInfo?.timing, 'DELAY');
    await rig.clock.advance(300_000);
    assert.equal(rig.sent.length, 1);
  });

  it('is sent on a new channel only after the device has accepted it', async () => {
    const settings = { classBPingSlotDR: 4, classBPingSlotFrequency: 868_500_000 };
    const { rig, device } = await listening({ settings });
    assert.deepEqual(device.session?.radio.pingSlot, { frequency: 868_500_000, dataRate: 4 });
    await rig.enqueue('there');
    await untilSent(rig, 1);
    assert.equal(rig.sent[0]?.items[0]?.txInfo?.frequency, 868_500_000);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'there');
  });

  it('that is too large for its slot is refused, and the next one is sent', async () => {
    const { rig, device } = await listening();
    await rig.enqueue('x'.repeat(120));
    await rig.enqueue('small');
    await untilSent(rig, 1);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'small');
    assert.equal(rig.events().at(-1), 'error DEVICE_QUEUE_ITEM_SIZE payload exceeds max payload size');
  });

  /** Advances the clock to this time before (or after) the slot of a frame. */
  async function untilSlot(rig: Rig, frame: gw.DownlinkFrame | undefined, byMs: number): Promise<void> {
    await rig.clock.advance(slotOf(frame) + byMs - gpsNow(rig));
  }

  it('that its gateway has is not overtaken by an answer, which the device gets when it repeats its uplink', async () => {
    const { rig, device } = await listening({ periodicity: 7 });
    await rig.enqueue('in the slot');
    await untilSent(rig, 1);
    await rig.acknowledge(rig.sent[0]!);
    await untilSlot(rig, rig.sent[0], -1900);
    const confirmed = device.uplink({ fPort: 1, confirmed: true });
    assert.equal(await rig.exchange(confirmed), null);
    await untilSlot(rig, rig.sent[0], 0);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'in the slot');
    assert.equal(rig.counts.get('windows_before_ping_slot'), 2);
    const answer = await rig.exchange(confirmed);
    const arrived = understood(device, answer);
    assert.deepEqual(arrived && 'acknowledged' in arrived && arrived.acknowledged, true);
  });

  it('leaves the window after its slot to the answer', async () => {
    const { rig, device } = await listening({ periodicity: 7 });
    await rig.enqueue('in the slot');
    await rig.enqueue('next');
    await untilSent(rig, 1);
    await rig.acknowledge(rig.sent[0]!);
    await untilSlot(rig, rig.sent[0], -1000);
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(
      answer?.items.map(({ txInfo }) => txInfo?.delayTimingInfo?.delay),
      [2000],
    );
    await untilSlot(rig, rig.sent[0], 0);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'in the slot');
    const arrived = understood(device, answer);
    assert.equal(arrived && 'text' in arrived && arrived.text, 'next');
    await rig.clock.advance(300_000);
    assert.deepEqual(await rig.state.queue(devEUI), []);
    assert.equal(rig.sent.length, 2);
  });

  it('that is planned before the windows of an uplink gets a slot after them, behind the answer', async () => {
    const { rig, device } = await listening({ periodicity: 0, settings: { rx1Delay: 8 } });
    await rig.enqueue('in the slot');
    await rig.clock.advance(0);
    const [planned] = await rig.state.queue(devEUI);
    await rig.clock.advance(planned!.pingSlotAt! - 2500 - gpsNow(rig));
    const uplinkAt = gpsNow(rig);
    const answer = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.equal(answer?.items[0]?.txInfo?.timing, 'DELAY');
    await rig.enqueue('later');
    await untilSent(rig, 2);
    assert.ok(slotOf(rig.sent[1]) > uplinkAt + 9000, 'after RX2');
    const arrived = understood(device, answer);
    assert.deepEqual(arrived && 'text' in arrived && [arrived.text, arrived.acknowledged], ['in the slot', true]);
    assert.equal(receivedInSlot(device, rig.sent[1]), 'later');
  });

  it('does not block answers when its slot was written by a wrong clock', async () => {
    const { rig, device } = await listening();
    const session = (await rig.session())!;
    const lastDownlinkAt = rig.clock.now().getTime() + 3_600_000;
    await rig.state.commit({ writes: [{ kind: 'saveSession', session: { ...session, lastDownlinkAt } }], effects: [] });
    assert.ok(await rig.exchange(device.uplink({ fPort: 1, confirmed: true })));
  });

  it('waits while the device is disabled, ignores its uplinks, and has a slot after it is enabled', async () => {
    const { rig, device } = await listening({ periodicity: 3 });
    await rig.setDisabled(true);
    await rig.enqueue('not now');
    device.receivesBeacons = false;
    assert.equal(await rig.exchange(device.uplink({ fPort: 1 })), null);
    await rig.clock.advance(300_000);
    assert.deepEqual([rig.sent.length, (await rig.session())?.mode], [0, 'B']);
    device.receivesBeacons = true;
    await rig.setDisabled(false);
    await untilSent(rig, 1);
    assert.ok(slotOf(rig.sent[0]) > gpsNow(rig));
    assert.equal(receivedInSlot(device, rig.sent[0]), 'not now');
  });

  it('waits for a device that has joined again, which must find its beacon first', async () => {
    const { rig, device } = await listening({ periodicity: 3 });
    const accept = await rig.exchange(device.joinRequest());
    rig.sent.length = 0;
    await rig.enqueue('for the new one');
    await rig.clock.advance(300_000);
    assert.equal(rig.sent.length, 0);
    device.receive(accept!.items[0]!.phyPayload);
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    const arrived = understood(device, answer);
    assert.equal(arrived && 'text' in arrived && arrived.text, 'for the new one');
    assert.equal((await rig.session())?.mode, 'A');
    await rig.enqueue('in a slot');
    await rig.clock.advance(300_000);
    assert.equal(rig.sent.length, 1);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal((await rig.session())?.mode, 'B');
  });

  it('does not wait for a device that goes on in its session after a join-request', async () => {
    const { rig, device } = await listening({ periodicity: 3 });
    await rig.exchange(rig.device({ devNonce: 500 }).joinRequest());
    await rig.clock.advance(60_000);
    await rig.exchange(device.uplink({ fPort: 1 }));
    rig.sent.length = 0;
    await rig.enqueue('in a slot');
    await untilSent(rig, 1);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'in a slot');
  });

  it('gets a new slot when its own was chosen by a clock that was ahead', async () => {
    const { rig, device } = await listening({ periodicity: 5 });
    rig.clock.set(5 * 3_600_000);
    await rig.enqueue('kept');
    await rig.clock.advance(0);
    rig.clock.set(-5 * 3_600_000);
    await untilSent(rig, 1);
    assert.equal(receivedInSlot(device, rig.sent[0]), 'kept');
  });

  it('gets a new slot when the process was not running during its own', async () => {
    const { rig, device } = await listening({ periodicity: 5 });
    await rig.enqueue('kept');
    await rig.clock.advance(0);
    rig.clock.crash();
    await rig.clock.advance(60_000);
    await rig.restart();
    await untilSent(rig, 1);
    assert.ok(slotOf(rig.sent[0]) > gpsNow(rig));
    assert.equal(receivedInSlot(device, rig.sent[0]), 'kept');
  });
});

describe('the time of the next beacon', () => {
  const request = encodeMacCommands('up', [macCommand('BeaconTimingReq')]);

  for (const [region, hops] of [
    ['EU868', false],
    ['US915', true],
  ] as const) {
    it(`counts from the end of the answer, and is valid in its window only (${region})`, async () => {
      const rig = await createRig({ region });
      const device = await rig.activated();
      for (const text of ['', 'some data beside it']) {
        await rig.clock.advance(47_000);
        if (text) await rig.enqueue(text);
        const receivedAt = gpsNow(rig);
        const answer = await rig.exchange(rig.withCommands(device, request));
        const [item, other] = answer?.items ?? [];
        assert.equal(other, undefined);
        const { bandwidth = 0, spreadingFactor = 0 } = item?.txInfo?.loRaModulationInfo ?? {};
        const modulation = { modulation: 'LORA', bandwidth, spreadingFactor } as const;
        const delayMs = item?.txInfo?.delayTimingInfo?.delay ?? 0;
        const endsAt = receivedAt + delayMs + airtime(item!.phyPayload.length, modulation, 'down');
        const received = device.receive(item!.phyPayload);
        assert.ok(received.kind === 'data' && new TextDecoder().decode(received.data) === text);
        const [command] = received.commands;
        assert.ok(command?.name === 'BeaconTimingAns');
        const { delay, channel } = (command as MacCommandOf<'BeaconTimingAns'>).payload;
        const beaconAt = Math.ceil(endsAt / 128_000) * 128_000;
        assert.ok(30 * delay <= beaconAt - endsAt && beaconAt - endsAt < 30 * (delay + 1), `${delay} × 30 ms`);
        assert.equal(channel, hops ? (beaconAt / 128_000) % 8 : 0);
      }
    });
  }
});
