import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@hilltop/simulator';
import { createRig, devEUI, gatewayIDs, type Rig, type RigOptions, understood } from '../testing/rig.ts';

/** A device with a session in use. */
async function started(options: RigOptions = {}) {
  const rig = await createRig(options);
  const device = await rig.joined();
  await rig.exchange(device.uplink({ fPort: 1 }));
  return { rig, device };
}

/** The steps of an item, with the facts that differ between them. */
function stepsOf(rig: Rig, id: string): string[] {
  return rig.application.reports
    .filter(({ itemID }) => itemID === id)
    .map(({ step, reason, gatewayID, window }) =>
      [step, reason, gatewayID?.slice(-1), window].filter(Boolean).join(' '),
    );
}

describe('reports of a queued downlink', () => {
  it('that is sent: gateway, window, frequency and data-rate', async () => {
    const { rig, device } = await started();
    const fCnt = await rig.enqueue('open', { id: 'a' });
    const uplink = device.uplink({ fPort: 1 });
    await rig.exchange(uplink);
    const [gatewayID] = gatewayIDs;
    const where = { gatewayID, window: 'RX1', frequency: uplink.frequency, dr: 5 };
    assert.deepEqual(rig.application.reports, [
      { devEUI, itemID: 'a', fCnt, step: 'SENDING', ...where },
      { devEUI, itemID: 'a', fCnt, step: 'SENT', ...where },
    ]);
  });

  it('that is refused and sent after the next uplink, with its new counter', async () => {
    const { rig, device } = await started();
    await rig.enqueue('open', { id: 'a' });
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    await rig.acknowledge(rig.sent.at(-1)!, 'TOO_LATE', 'TOO_LATE');
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(stepsOf(rig, 'a'), [
      'SENDING 1 RX1',
      'GATEWAY_REFUSED TOO_LATE 1 RX1',
      'SENDING 1 RX1',
      'SENT 1 RX1',
    ]);
    const counters = rig.application.reports.map(({ fCnt }) => fCnt);
    assert.deepEqual(counters, [counters[0], counters[0], counters[0]! + 1, counters[0]! + 1]);
  });

  it('that is refused by one gateway and sent by the next, in its second window', async () => {
    const { rig, device } = await started();
    await rig.enqueue('open', { id: 'a' });
    const uplink = device.uplink({ fPort: 1 });
    await rig.receiveFrame(uplink);
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1], rssi: -100, snr: -2 });
    await rig.clock.advance(400);
    await rig.acknowledge(rig.sent.at(-1)!, 'COLLISION_PACKET', 'COLLISION_PACKET');
    await rig.acknowledge(rig.sent.at(-1)!, 'TOO_LATE', 'OK');
    const [first, second] = rig.sent.slice(-2).map(({ gatewayID }) => gatewayID.toHex().slice(-1));
    assert.deepEqual(stepsOf(rig, 'a'), [
      `SENDING ${first} RX1`,
      `GATEWAY_REFUSED COLLISION_PACKET ${first} RX1`,
      `SENDING ${second} RX1`,
      `SENT ${second} RX2`,
    ]);
  });

  it('that is confirmed: acknowledged, or not by the next uplink', async () => {
    const { rig, device } = await started();
    await rig.enqueue('one', { id: 'a', confirmed: true });
    const frame = await rig.exchange(device.uplink({ fPort: 1 }));
    understood(device, frame);
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('two', { id: 'b', confirmed: true });
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(stepsOf(rig, 'a'), ['SENDING 1 RX1', 'SENT 1 RX1', 'ACKNOWLEDGED']);
    assert.deepEqual(stepsOf(rig, 'b'), ['SENDING 1 RX1', 'SENT 1 RX1', 'UNACKNOWLEDGED']);
  });

  it('that is too large, with its bytes and the most that could be sent', async () => {
    const { rig, device } = await started();
    const fCnt = await rig.enqueue('x'.repeat(250), { id: 'a' });
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(rig.application.reports, [
      { devEUI, itemID: 'a', fCnt, step: 'TOO_LARGE', bytes: 250, limit: 242 },
    ]);
  });

  it('that no gateway can send', async () => {
    const { rig, device } = await started();
    await rig.enqueue('open', { id: 'a' });
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    rig.disconnectGateways();
    await rig.clock.advance(400);
    assert.deepEqual(stepsOf(rig, 'a'), ['NO_GATEWAY']);
  });

  it('whose device joins again, or whose session is replaced', async () => {
    const { rig, device } = await started();
    await rig.enqueue('open', { id: 'a' });
    const accept = await rig.exchange(device.joinRequest());
    device.receive(accept!.items[0]!.phyPayload);
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('open', { id: 'b' });
    await rig.activated();
    assert.deepEqual([stepsOf(rig, 'a'), stepsOf(rig, 'b')], [['REJOINED'], ['SESSION_REPLACED']]);
  });

  it('that a class C device gets at once in RXC', async () => {
    const { rig } = await started({ deviceProfile: { supportsClassC: true } });
    await rig.clock.advance(10_000);
    await rig.enqueue('open', { id: 'a' });
    await rig.clock.advance(1000);
    await rig.acknowledge(rig.sent.at(-1)!);
    assert.deepEqual(stepsOf(rig, 'a'), ['SENDING 1 RXC', 'SENT 1 RXC']);
  });
});

describe('the end of a queued downlink', () => {
  for (const deviceProfile of [{}, { supportsClassC: true }]) {
    const kind = 'supportsClassC' in deviceProfile ? 'C' : 'A';
    it(`comes at its time for a class ${kind} device that nobody hears`, async () => {
      const { rig, device } = await started({ deviceProfile });
      rig.disconnectGateways();
      await rig.enqueue('short', { id: 'a', expiresAt: rig.clock.now().getTime() + 90_000 });
      await rig.enqueue('long', { id: 'b' });
      await rig.clock.advance(89_000);
      assert.ok(!stepsOf(rig, 'a').includes('EXPIRED'));
      await rig.clock.advance(61_000);
      assert.equal(stepsOf(rig, 'a').at(-1), 'EXPIRED');
      rig.connectGateways();
      await rig.exchange(device.uplink({ fPort: 1 }));
      assert.deepEqual(
        rig.application.reports.filter(({ step }) => step === 'SENDING').map(({ itemID }) => itemID),
        ['b'],
      );
    });
  }

  it('does not come while a gateway may have it', async () => {
    const { rig, device } = await started();
    await rig.enqueue('open', { id: 'a', expiresAt: rig.clock.now().getTime() + 1000 });
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(5000);
    assert.deepEqual(stepsOf(rig, 'a'), ['SENDING 1 RX1']);
    assert.equal(await rig.server.cancel(devEUI, 'a'), 'in flight');
    await rig.acknowledge(rig.sent.at(-1)!);
    assert.deepEqual(stepsOf(rig, 'a').slice(1), ['SENT 1 RX1']);
    assert.equal(await rig.server.cancel(devEUI, 'a'), 'unknown');
  });

  it('can be asked for until it is sent', async () => {
    const { rig, device } = await started();
    await rig.enqueue('one', { id: 'a' });
    await rig.enqueue('two', { id: 'b' });
    assert.equal(await rig.server.cancel(devEUI, 'a'), 'canceled');
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.equal(received && 'text' in received && received.text, 'two');
    assert.deepEqual(stepsOf(rig, 'a'), ['CANCELED']);
  });
});

describe('reports of downlinks', () => {
  it('agrees with what left, whatever happens', async () => {
    const total = { left: 0, canceled: 0 };
    for (let seed = 1; seed <= 12; seed++) {
      const { left, canceled } = await anyHistory(seed);
      total.left += left;
      total.canceled += canceled;
    }
    assert.ok(total.left > 50 && total.canceled > 10);
  });
});

/** Enqueues, cancels, sends, refuses, acknowledges, flushes and kills at random, then compares. */
async function anyHistory(seed: number): Promise<{ left: number; canceled: number }> {
  const random = seededRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const { rig, device } = await started();
  /** The items of each frame that left, by the text that the device reads. */
  const left = new Set<string>();
  const canceled = new Set<string>();
  for (let turn = 0; turn < 60; turn++) {
    rig.decideFates(
      () => (['lives', 'lives', 'lives', 'lives', 'lives', 'lives', 'dies before', 'dies after'] as const)[below(8)]!,
    );
    const id = `item ${turn}`;
    const what = below(5);
    const frames = rig.sent.length;
    const act = async () => {
      if (what < 2) await rig.enqueue(id, { id, confirmed: below(2) === 0 });
      else if (what === 2) {
        const [item] = await rig.state.queue(devEUI);
        if (item && (await rig.server.cancel(devEUI, item.id)) === 'canceled') canceled.add(item.id);
      } else {
        await rig.receiveFrame(device.uplink({ fPort: 1 }));
        await rig.clock.advance(400);
        const frame = rig.sent[frames];
        if (frame) await rig.acknowledge(frame, ...(below(3) === 0 ? (['TOO_LATE', 'TOO_LATE'] as const) : []));
      }
    };
    await rig.survives(act().catch(() => undefined));
    for (const frame of rig.sent.slice(frames)) {
      const received = understood(device, frame);
      if (!received || !('text' in received) || received.text === '') continue;
      left.add(received.text);
      assert.ok(!canceled.has(received.text), `${received.text} was canceled and left`);
      assert.ok(
        stepsOf(rig, received.text).some((step) => step.startsWith('SENDING')),
        `${received.text} left silently`,
      );
    }
    rig.decideFates(() => 'lives');
    if (rig.isDead()) await rig.restart();
  }
  for (const { itemID, step } of rig.application.reports)
    if (step === 'SENT' || step === 'ACKNOWLEDGED') assert.ok(left.has(itemID), `${itemID} is ${step} and never left`);
  return { left: left.size, canceled: canceled.size };
}
