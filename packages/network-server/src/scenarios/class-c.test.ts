import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrame } from '@hilltop/lorawan';
import { create, type gw, ns } from '@hilltop/protobuf';
import type { Device } from '@hilltop/simulator';
import { createFakeCopies } from '../testing/fake-copies.ts';
import { createRig, devEUI, gatewayIDs, type Rig, type RigOptions, understood } from '../testing/rig.ts';

const classCTimeout = 10;

/** A class C device long after its first uplink, which needed no answer. */
async function listening(options: RigOptions = {}): Promise<{ rig: Rig; device: Device }> {
  const rig = await createRig({ deviceProfile: { supportsClassC: true, classCTimeout }, ...options });
  const device = await rig.joined();
  await rig.exchange(device.uplink({ fPort: 1 }));
  await rig.clock.advance(60_000);
  rig.sent.length = 0;
  return { rig, device };
}

function textOf(device: Device, frame: gw.DownlinkFrame | undefined): string | false | null {
  const received = understood(device, frame ?? null);
  return received && 'text' in received && received.text;
}

function fCntOf(frame: gw.DownlinkFrame | undefined): number | undefined {
  const decoded = decodeFrame(frame!.items[0]!.phyPayload);
  return 'fCnt' in decoded ? decoded.fCnt : undefined;
}

describe('class C downlink', () => {
  it('is sent at once in RX2, without FPending', async () => {
    const { rig, device } = await listening();
    await rig.enqueue('now');
    await rig.enqueue('then');
    await rig.clock.advance(0);
    assert.equal(rig.sent.length, 1);
    const txInfo = rig.sent[0]?.items[0]?.txInfo;
    assert.deepEqual(
      [txInfo?.timing, txInfo?.frequency, txInfo?.loRaModulationInfo?.spreadingFactor, txInfo?.power],
      ['IMMEDIATELY', 869_525_000, 12, 27],
    );
    assert.equal(rig.sent[0]?.items.length, 1);
    assert.deepEqual(understood(device, rig.sent[0]!), {
      fPort: 10,
      text: 'now',
      acknowledged: false,
      confirmed: false,
      fPending: false,
      commands: [],
    });
  });

  it('is sent 2 s after the previous one', async () => {
    const { rig, device } = await listening();
    for (const text of ['one', 'two', 'three']) await rig.enqueue(text);
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(1999);
    assert.equal(rig.sent.length, 1);
    await rig.clock.advance(1);
    assert.equal(rig.sent.length, 2);
    await rig.acknowledge(rig.sent[1]!);
    await rig.clock.advance(2000);
    assert.deepEqual(
      rig.sent.map((frame) => textOf(device, frame)),
      ['one', 'two', 'three'],
    );
    await rig.acknowledge(rig.sent[2]!);
    await rig.clock.advance(10_000);
    assert.equal(rig.sent.length, 3);
    assert.deepEqual(
      rig.events().filter((event) => event.startsWith('txack')),
      ['txack 0', 'txack 1', 'txack 2'],
    );
    assert.equal(await rig.state.nextDueAt(), null);
  });

  it('is read and claimed once, and nothing is due after its gateway has sent it', async () => {
    const { rig } = await listening();
    const taken = () => ['claimDue', 'sessions'].map((what) => rig.counts.get(`reads ${what}`) ?? 0);
    const [claims, sessions] = taken();
    // Three calls of the service, each of which reads the session.
    await rig.enqueue('only');
    await rig.clock.advance(0);
    assert.deepEqual(taken(), [claims! + 1, sessions! + 3 + 1]);
    await rig.acknowledge(rig.sent[0]!);
    assert.equal(await rig.state.nextDueAt(), null);
    await rig.clock.advance(50_000);
    assert.equal(taken()[1], sessions! + 3 + 2);
  });

  it('that was enqueued while the gateway answered is sent after its time', async () => {
    const { rig } = await listening();
    await rig.enqueue('one');
    await rig.clock.advance(0);
    // Both are read before either is written.
    const answered = rig.acknowledge(rig.sent[0]!);
    await Promise.all([answered, rig.enqueue('two')]);
    await rig.clock.advance(2000);
    assert.equal(rig.sent.length, 2);
  });

  it('is not sent during the windows after an uplink', async () => {
    const { rig, device } = await listening();
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(1000);
    await rig.enqueue('later');
    // The uplink is collected 200 ms after it was received: rxDelay + 2 s count from there.
    await rig.clock.advance(2199);
    assert.equal(rig.sent.length, 0);
    await rig.clock.advance(1);
    assert.equal(rig.sent.length, 1);
  });

  it('waits for the first uplink of an activation', async () => {
    const rig = await createRig({ deviceProfile: { supportsClassC: true } });
    const device = await rig.activated();
    await rig.enqueue('early');
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 0);
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(textOf(device, answer ?? undefined), 'early');
    assert.equal(answer?.items[0]?.txInfo?.timing, 'DELAY');
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
  });

  it('is sent after an uplink whose answer was lost', async () => {
    const { rig, device } = await listening();
    rig.disconnectGateways();
    await rig.enqueue('kept');
    await rig.clock.advance(120_000);
    assert.equal(rig.sent.length, 0);
    assert.equal((await rig.session())?.nFCntDown, 0);
    rig.connectGateways();
    await rig.clock.advance(60_000);
    assert.equal(textOf(device, rig.sent[0]), 'kept');
  });

  it('without an answer of its gateway is sent again as the same frame, with growing pauses', async () => {
    const { rig } = await listening();
    await rig.enqueue('hello?');
    await rig.clock.advance(16_000);
    const frames = new Set(rig.sent.map(({ items }) => items[0]?.phyPayload.toHex()));
    assert.deepEqual([rig.sent.length, frames.size], [5, 1]);
    assert.equal(rig.counts.get('downlinks_unanswered'), 4);
    assert.equal((await rig.session())?.nFCntDown, 1);
    const gateways = new Set(rig.sent.map(({ gatewayID }) => gatewayID.toHex()));
    assert.equal(gateways.size, 1);
  });

  it('that a gateway refused is sent with a new counter, by another gateway', async () => {
    const { rig, device } = await listening();
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.receiveFrame({ ...device.repeat() }, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(10_000);
    await rig.enqueue('again');
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!, 'COLLISION_PACKET');
    await rig.clock.advance(2000);
    assert.equal(rig.sent.length, 2);
    assert.deepEqual(rig.sent.map(fCntOf), [0, 1]);
    assert.equal(textOf(device, rig.sent[1]), 'again');
    assert.equal(rig.events().at(-1), 'error DATA_DOWN_GATEWAY COLLISION_PACKET');
  });

  it('that a gateway always refuses does not cause a flood of events', async () => {
    const { rig } = await listening();
    await rig.enqueue('never');
    for (let minute = 0; minute < 600; minute++) {
      const before = rig.sent.length;
      await rig.clock.advance(6000);
      for (const frame of rig.sent.slice(before)) await rig.acknowledge(frame, 'TX_FREQ');
    }
    assert.ok(rig.sent.length < 30, `${rig.sent.length} downlinks in an hour`);
    assert.equal((await rig.state.queue(devEUI)).length, 1);
  });

  it('whose answer arrives late or twice is completed once', async () => {
    const { rig } = await listening();
    await rig.enqueue('slow');
    await rig.clock.advance(2000);
    assert.equal(rig.sent.length, 2);
    await rig.acknowledge(rig.sent[0]!);
    await rig.acknowledge(rig.sent[0]!, 'TOO_LATE');
    await rig.acknowledge(rig.sent[1]!, 'TOO_LATE');
    assert.deepEqual(await rig.state.queue(devEUI), []);
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
  });

  it('that is confirmed delays the next one until the device acknowledges', async () => {
    const { rig, device } = await listening();
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await rig.enqueue('next');
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent[0]), 'sure?');
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(5000);
    assert.equal(rig.sent.length, 1);
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(textOf(device, answer ?? undefined), 'next');
    assert.deepEqual(
      rig.events().filter((event) => event.startsWith('ack')),
      [`ack ${fCnt} true`],
    );
  });

  it('that is confirmed survives an uplink without ACK, until its timeout', async () => {
    const { rig, device } = await listening();
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await rig.enqueue('next');
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal((await rig.state.queue(devEUI)).length, 2);
    await rig.clock.advance(classCTimeout * 1000);
    assert.deepEqual(
      rig.events().filter((event) => event.startsWith('ack')),
      [`ack ${fCnt} false`],
    );
    assert.equal(textOf(device, rig.sent.at(-1)), 'next');
  });

  it('that is confirmed waits 5 s for its answer when the device-profile has no timeout', async () => {
    const { rig } = await listening({ deviceProfile: { supportsClassC: true, classCTimeout: 0 } });
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(4999);
    assert.equal(rig.events().includes(`ack ${fCnt} false`), false);
    await rig.clock.advance(1);
    assert.equal(rig.events().at(-1), `ack ${fCnt} false`);
  });

  it('that is confirmed is complete when the device acknowledges, also without a TX acknowledgement', async () => {
    const { rig, device } = await listening();
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent[0]), 'sure?');
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(rig.events().at(-1), `ack ${fCnt} true`);
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
  });

  it('contains no MAC commands', async () => {
    const { rig, device } = await listening({
      deviceProfile: { supportsClassC: true },
      serviceProfile: { devStatusReqFreq: 24 },
    });
    await rig.clock.advance(3_600_000);
    await rig.enqueue('data');
    await rig.clock.advance(0);
    const received = understood(device, rig.sent[0]!);
    assert.deepEqual(received && 'commands' in received && received.commands, []);
  });

  it('that is too large for RX2 is refused, and the next one is sent', async () => {
    const { rig, device } = await listening();
    await rig.enqueue('x'.repeat(60));
    await rig.enqueue('small');
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent[0]), 'small');
    assert.equal(rig.events().at(-1), 'error DEVICE_QUEUE_ITEM_SIZE payload exceeds max payload size');
  });

  it('waits while the device is disabled', async () => {
    const { rig } = await listening();
    await rig.setDisabled(true);
    await rig.enqueue('not now');
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 0);
    await rig.setDisabled(false);
    await rig.clock.advance(0);
    assert.equal(rig.sent.length, 1);
  });

  it('waits for the uplink of a device that has joined again', async () => {
    const { rig, device } = await listening();
    const accept = await rig.exchange(device.joinRequest());
    await rig.enqueue('for the new one');
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    device.receive(accept!.items[0]!.phyPayload);
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(10_000);
    assert.equal(textOf(device, rig.sent.at(-1)), 'for the new one');
  });

  it('does not wait for a device that goes on in its session after a join-request', async () => {
    const { rig, device } = await listening();
    await rig.exchange(rig.device({ devNonce: 500 }).joinRequest());
    const forecast = async () => (await rig.server.forecastOf(devEUI))?.nextAt ?? null;
    // It may have been sent before the join-request, and arrive late.
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(10_000);
    rig.sent.length = 0;
    await rig.enqueue('now');
    await rig.clock.advance(60_000);
    assert.deepEqual([rig.sent.length, await forecast()], [0, null]);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(textOf(device, rig.sent.at(-1)), 'now');
    await rig.clock.advance(60_000);
    await rig.enqueue('and now');
    assert.notEqual(await forecast(), null);
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent.at(-1)), 'and now');
  });

  it('does not wait for a device that uses the session before the last join-accept', async () => {
    const { rig } = await listening();
    const device = await rig.joined({ devNonce: 500 });
    await rig.exchange(rig.device({ devNonce: 501 }).joinRequest());
    await rig.clock.advance(60_000);
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(60_000);
    await rig.enqueue('now');
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent.at(-1)), 'now');
  });

  it('is sent to a 1.1 device after it has reported class C', async () => {
    const rig = await createRig({ macVersion: '1.1.0', deviceProfile: { supportsClassC: true, classCTimeout } });
    const device = await rig.joined({ classC: true });
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(60_000);
    assert.equal((await rig.session())?.mode, 'C');
    await rig.enqueue('now');
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent.at(-1)), 'now');
  });

  it('waits for an uplink after a 1.1 device has reported class A, until it reports class C again', async () => {
    const rig = await createRig({ macVersion: '1.1.0', deviceProfile: { supportsClassC: true, classCTimeout } });
    const device = await rig.joined({ classC: true });
    const settle = async () => {
      understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
      await rig.clock.advance(60_000);
    };
    await settle();
    device.classC = false;
    await settle();
    assert.equal((await rig.session())?.mode, 'A');
    rig.sent.length = 0;
    await rig.enqueue('in a window');
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 0);
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual([answer?.items[0]?.txInfo?.timing, textOf(device, answer ?? undefined)], ['DELAY', 'in a window']);

    await rig.enqueue('at once again');
    device.classC = true;
    rig.sent.length = 0;
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(60_000);
    assert.deepEqual(
      rig.sent.map((frame) => textOf(device, frame)),
      ['at once again'],
    );
    await rig.enqueue('and again');
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent.at(-1)), 'and again');
  });

  it('ignores the class that a disabled device reports until it is enabled and reports it again', async () => {
    const rig = await createRig({ macVersion: '1.1.0', deviceProfile: { supportsClassC: true, classCTimeout } });
    const device = await rig.joined({ classC: true });
    understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    await rig.clock.advance(60_000);
    await rig.setDisabled(true);
    device.classC = false;
    assert.equal(await rig.exchange(device.uplink({ fPort: 1 })), null);
    assert.equal((await rig.session())?.mode, 'C');
    await rig.setDisabled(false);
    understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.equal((await rig.session())?.mode, 'A');
  });

  it('begins and ends for a 1.0 device with its next uplink after its device-profile changed', async () => {
    const { rig, device } = await listening();
    const change = (supportsClassC: boolean) =>
      rig.server.service.updateDeviceProfile({
        deviceProfile: create(ns.DeviceProfile, {
          id: rig.profileIDs.device,
          macVersion: '1.0.3',
          regParamsRevision: 'B',
          supportsJoin: true,
          supportsClassC,
          classCTimeout,
        }),
      });
    const modes: unknown[] = [];
    for (const supportsClassC of [false, true]) {
      await change(supportsClassC);
      await rig.exchange(device.uplink({ fPort: 1 }));
      modes.push((await rig.session())?.mode);
      await rig.clock.advance(60_000);
    }
    assert.deepEqual(modes, ['A', 'C']);
    await rig.enqueue('now');
    await rig.clock.advance(0);
    assert.equal(textOf(device, rig.sent.at(-1)), 'now');
  });

  it('that was sent with a clock far ahead does not wait for that time after the clock is correct', async () => {
    const { rig, device } = await listening();
    rig.clock.set(10 * 365 * 86_400_000);
    await rig.enqueue('early');
    await rig.clock.advance(0);
    assert.equal(rig.sent.length, 1);
    rig.clock.set(-10 * 365 * 86_400_000);
    await rig.restart();
    await rig.enqueue('behind it');
    await rig.clock.advance(10_000);
    assert.deepEqual([rig.sent.length > 1, new Set(rig.sent.map(fCntOf)).size], [true, 1], 'the same leaves again');
    assert.equal(textOf(device, rig.sent[0]), 'early');
    await rig.acknowledge(rig.sent.at(-1)!);
    await rig.clock.advance(2000);
    assert.equal(textOf(device, rig.sent.at(-1)), 'behind it');
  });

  it('that is confirmed and was sent with a clock far ahead does not delay the next one', async () => {
    const { rig, device } = await listening();
    rig.clock.set(10 * 365 * 86_400_000);
    await rig.enqueue('sure?', { confirmed: true });
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!);
    rig.clock.set(-10 * 365 * 86_400_000);
    await rig.enqueue('behind it');
    await rig.clock.advance(600_000);
    assert.equal(textOf(device, rig.sent.at(-1)), 'behind it');
  });

  it('is sent as soon as a gateway that receives its device is connected again', async () => {
    const { rig, device } = await listening();
    rig.disconnectGateways();
    await rig.enqueue('once it is back');
    await rig.clock.advance(1000);
    assert.equal(rig.counts.get('downlinks_without_gateway'), 1);
    rig.connectGateways();
    await rig.clock.advance(0);
    assert.deepEqual(
      rig.sent.map((frame) => textOf(device, frame)),
      ['once it is back'],
    );
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(120_000);
    assert.equal(rig.sent.length, 1);
  });

  it('is sent as soon as another process can reach its gateway', async () => {
    const copies = createFakeCopies();
    const { rig, device } = await listening({ copies: () => copies.side() });
    await rig.companion();
    rig.disconnectGateways();
    await rig.enqueue('once it is back');
    await rig.clock.advance(2000);
    rig.connectGateways();
    await rig.clock.advance(1000);
    assert.deepEqual(
      rig.sent.map((frame) => textOf(device, frame)),
      ['once it is back'],
    );
  });

  it('survives the end of the process', async () => {
    const { rig, device } = await listening();
    rig.disconnectGateways();
    await rig.enqueue('kept');
    await rig.clock.advance(0);
    await rig.restart();
    rig.connectGateways();
    await rig.clock.advance(60_000);
    assert.equal(textOf(device, rig.sent[0]), 'kept');
  });
});
