import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrame } from '@hilltop/lorawan';
import { createRig, devEUI, gatewayIDs, type Rig, understood } from '../testing/rig.ts';

const nothing = { fPort: null, text: '', confirmed: false, fPending: false, commands: [] };

async function queueLength(rig: Rig): Promise<number> {
  return (await rig.state.queue(devEUI)).length;
}

describe('class A downlink', () => {
  it('acknowledges a confirmed uplink without other content', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const frame = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.deepEqual(understood(device, frame), { ...nothing, acknowledged: true });
  });

  it('is not sent when there is nothing to send', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    assert.equal(await rig.exchange(device.uplink({ fPort: 1 })), null);
  });

  it('answers a device with ADRACKReq although there is nothing to send', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const frame = await rig.exchange(device.uplink({ fPort: 1, adrAckReq: true }));
    assert.deepEqual(understood(device, frame), { ...nothing, acknowledged: false });
  });

  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`sends queued data of a ${macVersion} device in order`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      await rig.enqueue('one');
      await rig.enqueue('two', { fPort: 20 });
      const first = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
      const second = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
      assert.deepEqual(
        [first, second].map(
          (received) => received && 'text' in received && [received.fPort, received.text, received.fPending],
        ),
        [
          [10, 'one', true],
          [20, 'two', false],
        ],
      );
      assert.equal(await queueLength(rig), 0);
      const session = await rig.session();
      if (macVersion === '1.0.3') assert.equal(session?.nFCntDown, 2);
      else assert.equal(session?.aFCntDown, 2);
    });
  }

  it('uses RX1 on the uplink frequency, and RX2 as second choice', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 1, confirmed: true });
    const frame = await rig.exchange(uplink);
    assert.deepEqual(
      frame?.items.map(({ txInfo }) => [
        txInfo?.frequency,
        txInfo?.loRaModulationInfo?.spreadingFactor,
        txInfo?.delayTimingInfo?.delay,
        txInfo?.power,
      ]),
      [
        [uplink.frequency, 7, 1000, 14],
        [869_525_000, 12, 2000, 27],
      ],
    );
    assert.equal(frame?.items[0]?.txInfo?.context.toHex(), '000f4240');
    assert.equal(frame?.items[0]?.txInfo?.loRaModulationInfo?.polarizationInversion, true);
  });

  it('omits a window that is too small', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('x'.repeat(100));
    const frame = await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual(
      frame?.items.map(({ txInfo }) => txInfo?.delayTimingInfo?.delay),
      [1000],
    );
  });

  it('refuses an item that is too large and sends the next', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('x'.repeat(250));
    await rig.enqueue('small');
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.equal(received && 'text' in received && received.text, 'small');
    assert.deepEqual(rig.events(), [
      'up 0',
      'up 1',
      'error DEVICE_QUEUE_ITEM_SIZE payload exceeds max payload size',
      'txack 1',
    ]);
  });

  it('reports why the first window was refused by a gateway that never tries the second', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('late');
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    await rig.acknowledge(rig.sent.at(-1)!, 'TOO_LATE', 'IGNORED');
    assert.equal(rig.events().at(-1), 'error DATA_DOWN_GATEWAY TOO_LATE');
  });

  it('keeps the item and uses up its counter when every window was refused', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('later');
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    const [frame] = rig.sent.slice(-1);
    assert.ok(frame);
    await rig.acknowledge(frame, 'TOO_LATE', 'COLLISION_PACKET');
    assert.equal(await queueLength(rig), 1);
    assert.equal((await rig.session())?.nFCntDown, 1);
    assert.equal(rig.events().at(-1), 'error DATA_DOWN_GATEWAY COLLISION_PACKET');
    await rig.acknowledge(frame, 'OK');
    assert.equal(rig.counts.get('gateway_acks_forgotten'), 1);
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.equal(received && 'text' in received && received.text, 'later');
  });

  /** An uplink that both gateways received, with a downlink at the first one. */
  async function receivedByTwo() {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('hello');
    const uplink = device.uplink({ fPort: 1 });
    for (const gatewayID of gatewayIDs)
      await rig.receiveFrame(uplink, { gatewayID, tmst: gatewayID === gatewayIDs[0] ? 1 : 2 });
    await rig.clock.advance(300);
    return { rig, device, first: rig.sent.at(-1)! };
  }

  it('is sent unchanged by the next gateway when one has refused both windows', async () => {
    const { rig, device, first } = await receivedByTwo();
    const before = rig.sent.length;
    await rig.acknowledge(first, 'TOO_LATE', 'COLLISION_PACKET');
    assert.equal(rig.sent.length, before + 1);
    const next = rig.sent.at(-1)!;
    assert.notDeepEqual(next.gatewayID, first.gatewayID);
    assert.notDeepEqual(next.items[0]?.txInfo?.context, first.items[0]?.txInfo?.context);
    assert.deepEqual(
      next.items.map(({ phyPayload }) => phyPayload),
      first.items.map(({ phyPayload }) => phyPayload),
    );
    const received = understood(device, next);
    assert.equal(received && 'text' in received && received.text, 'hello');
    await rig.acknowledge(next, 'OK');
    assert.equal(rig.events().at(-1), 'txack 0');
    assert.ok(!rig.events().some((event) => event.startsWith('error')));
    assert.equal(await queueLength(rig), 0);
  });

  it('is reported as failed when no other gateway is left', async () => {
    const { rig, first } = await receivedByTwo();
    await rig.acknowledge(first, 'TOO_LATE', 'TOO_LATE');
    await rig.acknowledge(rig.sent.at(-1)!, 'TX_FREQ', 'TX_FREQ');
    const errors = rig.events().filter((event) => event.startsWith('error'));
    assert.deepEqual(errors, ['error DATA_DOWN_GATEWAY TX_FREQ']);
    assert.equal(await queueLength(rig), 1);
  });

  for (const { afterMs, delays } of [
    { afterMs: 900, delays: [2000] },
    { afterMs: 1900, delays: null },
  ]) {
    it(`is sent by the next gateway only in the windows that remain (${afterMs} ms later)`, async () => {
      const { rig, first } = await receivedByTwo();
      const before = rig.sent.length;
      await rig.clock.advance(afterMs);
      await rig.acknowledge(first, 'TOO_LATE', 'TOO_LATE');
      const next = rig.sent[before];
      assert.deepEqual(next ? next.items.map(({ txInfo }) => txInfo?.delayTimingInfo?.delay) : null, delays);
    });
  }

  it('with a join-accept is also sent by the next gateway', async () => {
    const rig = await createRig();
    const device = rig.device();
    const request = device.joinRequest();
    for (const gatewayID of gatewayIDs) await rig.receiveFrame(request, { gatewayID });
    await rig.clock.advance(300);
    await rig.acknowledge(rig.sent[0]!, 'TOO_EARLY', 'TOO_EARLY');
    assert.notDeepEqual(rig.sent[1]?.gatewayID, rig.sent[0]?.gatewayID);
    assert.equal(device.receive(rig.sent[1]!.items[0]!.phyPayload).kind, 'joined');
  });

  it('reports which window was used when the second one worked', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('hello');
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    const [frame] = rig.sent.slice(-1);
    assert.ok(frame);
    await rig.acknowledge(frame, 'TOO_LATE', 'OK');
    const txack = rig.application.calls.at(-1);
    assert.deepEqual(txack, {
      event: 'txack',
      devEUI,
      fCnt: 0,
      gatewayID: gatewayIDs[0],
      frequency: 869_525_000,
    });
  });

  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`is acknowledged when it is confirmed (${macVersion})`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      const fCnt = await rig.enqueue('sure?', { confirmed: true });
      understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
      assert.equal((await rig.state.queue(devEUI))[0]?.isPending, true);
      await rig.exchange(device.uplink({ fPort: 1 }));
      assert.equal(await queueLength(rig), 0);
      assert.deepEqual(
        rig.events().filter((event) => event.startsWith('ack')),
        [`ack ${fCnt} true`],
      );
    });
  }

  it('gives up a confirmed downlink that the next uplink does not acknowledge, and continues', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const fCnt = await rig.enqueue('sure?', { confirmed: true });
    await rig.enqueue('next');
    await rig.exchange(device.uplink({ fPort: 1 }));
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.equal(received && 'text' in received && received.text, 'next');
    assert.deepEqual(
      rig.events().filter((event) => event.startsWith('ack')),
      [`ack ${fCnt} false`],
    );
  });

  it('encrypts the queue again when its counters were used up', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: true }));
    await rig.clock.advance(400);
    const acknowledgement = rig.sent.at(-1);
    assert.ok(acknowledgement);
    await rig.enqueue('one');
    await rig.enqueue('two');
    await rig.acknowledge(acknowledgement);
    understood(device, acknowledgement);
    const first = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    const second = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.deepEqual(
      [first, second].map((received) => received && 'text' in received && received.text),
      ['one', 'two'],
    );
  });

  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`sends many commands on FPort 0 and the data afterwards (${macVersion})`, async () => {
      const extraChannels = [1, 3, 5].map((step) => ({ frequency: 867_000_000 + step * 100_000, minDR: 0, maxDR: 4 }));
      const rig = await createRig({ macVersion, settings: { extraChannels } });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      await rig.enqueue('later');
      const first = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
      const commands = macVersion === '1.1.0' ? ['RekeyConf'] : [];
      assert.deepEqual(first, {
        ...nothing,
        acknowledged: false,
        fPort: 0,
        fPending: true,
        commands: [...commands, 'NewChannelReq', 'NewChannelReq', 'NewChannelReq'],
      });
      const second = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
      assert.equal(second && 'text' in second && second.text, 'later');
      assert.equal((await rig.session())?.extraChannels.length, 3);
    });
  }

  const windows = [
    { title: 'RX1, then RX2', settings: {}, delays: [1000, 2000] },
    { title: 'only RX1', settings: { rxWindow: 'RX1' }, delays: [1000] },
    { title: 'only RX2', settings: { rxWindow: 'RX2' }, delays: [2000] },
    { title: 'RX2 first below a data-rate', settings: { rx2PreferOnRX1DRLt: 6 }, delays: [2000, 1000] },
    { title: 'RX2 first by link budget', settings: { rx2PreferOnLinkBudget: true }, delays: [2000, 1000] },
    {
      title: 'RX1 while the device has not taken the RX2 of the network',
      settings: { rx2PreferOnRX1DRLt: 6, rx2Frequency: 868_500_000 },
      delays: [1000, 2000],
    },
  ] as const;
  for (const { title, settings, delays } of windows) {
    it(`windows: ${title}`, async () => {
      const rig = await createRig({ settings });
      const device = await rig.joined();
      const frame = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
      assert.deepEqual(
        frame?.items.map(({ txInfo }) => txInfo?.delayTimingInfo?.delay),
        delays,
      );
    });
  }

  it('sends in RX2 what does not fit into RX1', async () => {
    const rig = await createRig({ settings: { rx2DataRate: 3 } });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('x'.repeat(100));
    const slow = rig.sameDeviceAt(device, 1, { dataRate: 0 });
    const frame = await rig.exchange(slow.uplink({ fPort: 1, confirmed: true }));
    assert.deepEqual(
      frame?.items.map(({ txInfo }) => txInfo?.delayTimingInfo?.delay),
      [2000],
    );
    const received = understood(slow, frame);
    assert.ok(received && 'text' in received && received.acknowledged);
    assert.equal(received.text, 'x'.repeat(100));
    assert.equal(await queueLength(rig), 0);
  });

  it('lets an item wait for MAC commands twice, then they wait for it', async () => {
    const extraChannels = [1, 3, 5].map((step) => ({ frequency: 867_000_000 + step * 100_000, minDR: 0, maxDR: 4 }));
    const rig = await createRig({ settings: { extraChannels } });
    const device = await rig.joined();
    const ports: (number | null)[] = [];
    for (let uplink = 0; uplink < 7; uplink++) {
      if (uplink === 1) for (const text of ['one', 'two']) await rig.enqueue(text);
      const frame = await rig.exchange(device.uplink({ fPort: 1 }));
      const sent = decodeFrame(frame?.items[0]?.phyPayload ?? new Uint8Array());
      ports.push('fPort' in sent ? sent.fPort : null);
    }
    assert.deepEqual(ports, [0, 0, 0, 10, 0, 0, 10]);
    assert.equal(await queueLength(rig), 0);
  });

  it('requests the device status until a gateway has accepted the request', async () => {
    const rig = await createRig({ serviceProfile: { devStatusReqFreq: 24 } });
    const device = await rig.joined();
    const asked: boolean[] = [];
    for (const word of ['COLLISION_PACKET', null, 'OK', 'OK'] as const) {
      const before = rig.sent.length;
      await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: true }));
      await rig.clock.advance(400);
      const frame = rig.sent[before];
      assert.ok(frame);
      const { fOpts } = decodeFrame(frame.items[0]!.phyPayload) as { fOpts: Uint8Array };
      asked.push(fOpts.toHex() === '06');
      if (word) await rig.acknowledge(frame, ...frame.items.map(() => word));
    }
    assert.deepEqual(asked, [true, true, true, false]);
  });

  it('counts the device status as requested when the device answers, whatever its gateway reported', async () => {
    const rig = await createRig({ serviceProfile: { devStatusReqFreq: 24 } });
    const device = await rig.joined();
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    understood(device, rig.sent.at(-1) ?? null);
    const before = rig.sent.length;
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    assert.equal(rig.sent.length, before);
  });

  it('uses RX1 when the RX2 of a device is not for downlinks', async () => {
    const rig = await createRig();
    const id = rig.profileIDs.device.toHex();
    const profile = await rig.state.get('deviceProfile', id);
    assert.ok(profile);
    // As an earlier version stored it.
    const value = { ...profile, rxDatarate2: 8, macVersion: '1.0.4', regParamsRevision: 'RP002-1.0.3' };
    await rig.state.commit({ writes: [{ kind: 'saveRecord', of: 'deviceProfile', id, value }], effects: [] });
    const device = await rig.activated();
    const frame = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.deepEqual(
      frame?.items.map(({ txInfo }) => txInfo?.delayTimingInfo?.delay),
      [1000],
    );
  });

  it('acknowledges although the application cannot encrypt the queue again', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('one');
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    rig.application.refuse('FailedPrecondition');
    const frame = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.deepEqual(understood(device, frame), { ...nothing, acknowledged: true });
    rig.application.accept();
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    assert.equal(received && 'text' in received && received.text, 'one');
  });

  it('gives the application time to enqueue an answer', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(250);
    await rig.enqueue('answer');
    await rig.clock.advance(60);
    const received = understood(device, rig.sent.at(-1) ?? null);
    assert.equal(received && 'text' in received && received.text, 'answer');
  });

  it('chooses among the gateways with good reception, never one that is not connected', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const used = new Set<string>();
    for (let uplink = 0; uplink < 12; uplink++) {
      const transmission = device.uplink({ fPort: 1, confirmed: true });
      for (const gatewayID of gatewayIDs) await rig.receiveFrame(transmission, { gatewayID, snr: 9 });
      const frame = await rig.exchange(transmission);
      used.add(frame?.gatewayID.toHex() ?? '');
    }
    assert.deepEqual([...used].sort(), [...gatewayIDs]);
    rig.disconnectGateways();
    const before = rig.sent.length;
    await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.equal(rig.sent.length, before);
    assert.equal(rig.counts.get('downlinks_without_gateway'), 1);
  });

  it('refuses queue items for FPort 0, another DevAddr and devices that never joined', async () => {
    const rig = await createRig();
    await assert.rejects(rig.enqueue('early'), { code: 'NotFound' });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await assert.rejects(rig.enqueue('commands', { fPort: 0 }), { code: 'InvalidArgument' });
    const item = { devEui: Uint8Array.fromHex(devEUI), devAddr: new Uint8Array(4), fCnt: 0, fPort: 1 };
    const rest = { frmPayload: new Uint8Array(), confirmed: false };
    await assert.rejects(rig.server.service.createDeviceQueueItem({ item: { ...item, ...rest } }), {
      code: 'InvalidArgument',
    });
  });
});
