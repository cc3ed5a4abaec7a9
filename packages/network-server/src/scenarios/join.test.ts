import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeJoinAccept, encodeFrame } from '@hilltop/lorawan';
import type { Device } from '@hilltop/simulator';
import type { FrameLogEntry } from '../network/frame-log.ts';
import { createInMemoryState } from '../state/in-memory.ts';
import { createRig, devEUI, joinEUI, type Rig, type RigOptions } from '../testing/rig.ts';

const text = (value: string) => new TextEncoder().encode(value);

describe('joining', () => {
  for (const macVersion of ['1.0.2', '1.0.3', '1.1.0']) {
    it(`answers a ${macVersion} device in its windows and verifies its first uplink`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      const [accept] = rig.sent;
      const [rx1, rx2] = accept?.items ?? [];
      assert.equal(rx1?.txInfo?.delayTimingInfo?.delay, 5000);
      assert.equal(rx2?.txInfo?.delayTimingInfo?.delay, 6000);
      assert.equal(rx2?.txInfo?.frequency, 869_525_000);
      assert.equal(rx2?.txInfo?.loRaModulationInfo?.spreadingFactor, 12);
      await rig.exchange(device.uplink({ fPort: 7, data: text('first') }));
      await rig.exchange(device.uplink({ fPort: 7, data: text('second') }));
      const [first, second] = rig.application.calls.filter((call) => call.event === 'up');
      const context = first?.request.deviceActivationContext;
      assert.equal(context?.devAddr.toHex(), device.session?.devAddr);
      assert.equal(context?.appSKey?.aesKey.toHex(), device.session?.keys.appSKey.toHex());
      assert.equal(second?.request.deviceActivationContext, null);
      const [request, answer] = rig.application.frames.map(({ frame }) => frame);
      assert.deepEqual([request?.mType, typeof request?.devNonce, request?.direction], ['JoinRequest', 'number', 'up']);
      assert.deepEqual(
        [answer?.mType, answer?.devAddr, answer?.window],
        ['JoinAccept', device.session?.devAddr, 'RX1'],
      );
    });
  }

  it('sends the extra channels of the network in the CFList', async () => {
    const extraChannels = [867_100_000, 867_300_000].map((frequency) => ({ frequency, minDR: 0, maxDR: 5 }));
    const rig = await createRig({ settings: { extraChannels } });
    const device = await rig.joined();
    assert.deepEqual(
      device.session?.radio.extraChannels.map(({ frequency }) => frequency),
      [867_100_000, 867_300_000],
    );
    assert.deepEqual((await rig.session())?.enabledChannels, [0, 1, 2, 3, 4]);
  });

  it('assigns a DevAddr with the prefix of the NetID', async () => {
    const rig = await createRig({ netID: '000013' });
    const device = await rig.joined();
    assert.equal(Number.parseInt(device.session?.devAddr.slice(0, 2) ?? '', 16) >>> 1, 0x13);
  });

  it('refuses a replayed join-request with an OTAA event', async () => {
    const rig = await createRig();
    const device = rig.device();
    const request = device.joinRequest();
    assert.ok(await rig.exchange(request));
    await rig.clock.advance(10_000);
    assert.equal(await rig.exchange(request), null);
    assert.deepEqual(rig.events(), ['error OTAA validate dev-nonce error']);
    assert.equal(rig.counts.get('uplinks_dropped nonce-used'), 1);
    const [dropped] = rig.application.frames.filter((report) => report.dropped);
    const { devNonce } = rig.requestOf(request);
    const facts = [dropped?.dropped, dropped?.frame.devNonce, dropped?.received?.gatewayCount];
    assert.deepEqual(facts, ['nonce-used', devNonce, 1]);
  });

  it('is processed after earlier uplinks of the device, whose session it would end', async () => {
    const rig = await createRig();
    await rig.exchange((await rig.joined()).uplink({ fPort: 1 }));
    const device = await rig.joined({ devNonce: 500 });
    const gate = Promise.withResolvers<void>();
    rig.application.hold(device.devEUI, gate.promise);
    for (let nth = 0; nth < 3; nth += 1) await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(device.joinRequest());
    await rig.clock.advance(400);
    gate.resolve();
    await rig.clock.advance(400);
    assert.deepEqual(rig.events(), ['up 0', 'up 0', 'up 1', 'up 2']);
    assert.equal(rig.sent.length, 3);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('is processed after uplinks that wait for storage', async () => {
    const rig = await createRig();
    await rig.exchange((await rig.joined()).uplink({ fPort: 1 }));
    const device = await rig.joined({ devNonce: 500 });
    for (let nth = 0; nth < 3; nth += 1) await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(device.joinRequest());
    rig.storage.goAway();
    await rig.clock.advance(10_000);
    rig.storage.comeBack();
    await rig.clock.advance(4000);
    assert.deepEqual(rig.events(), ['up 0', 'up 0', 'up 1', 'up 2']);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('shows refused requests in the frame logs of device and gateway', async () => {
    const rig = await createRig();
    const request = rig.device().joinRequest();
    await rig.exchange(request);
    await rig.clock.advance(10_000);
    await rig.exchange(request);
    rig.rootKeys.clear();
    const another = rig.device({ devNonce: 700 }).joinRequest();
    await rig.exchange(another);
    await rig.setDisabled(true);
    const disabled = rig.device({ devNonce: 701 }).joinRequest();
    await rig.exchange(disabled);
    const sentOf = (frames: FrameLogEntry[]) =>
      frames.flatMap(({ uplinkFrameSet: up }) => (up ? [up.phyPayload.toHex()] : []));
    const expected = [request, request, another, disabled].map(({ phyPayload }) => phyPayload.toHex());
    const shown = await rig.deviceFrames(5);
    assert.deepEqual(sentOf(shown), expected);
    assert.deepEqual(
      shown.flatMap(({ uplinkFrameSet, refused }) => (uplinkFrameSet ? [refused?.reason] : [])),
      [undefined, 'DEV_NONCE_USED', 'NO_ROOT_KEYS', 'DEVICE_DISABLED'],
    );
    const ofGateway = await rig.gatewayFrames(5);
    assert.deepEqual(sentOf(ofGateway), expected);
    assert.ok(
      ofGateway.every(({ refused }) => refused === undefined),
      'other people see the gateway',
    );
  });

  it('shows the answer in plain text in the log of the device, and encrypted in that of the gateway', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const clear = (await rig.deviceFrames(2)).at(-1)?.downlinkFrame?.phyPayload ?? new Uint8Array();
    const { devAddr, netID } = decodeJoinAccept(clear.subarray(1, -4));
    assert.deepEqual([devAddr, netID], [device.session?.devAddr, '000013']);
    const sent = (await rig.gatewayFrames(2)).at(-1)?.downlinkFrame?.phyPayload;
    assert.equal(sent?.toHex(), rig.sent[0]?.items[0]?.phyPayload.toHex());
  });

  it('on a frequency without a channel is dropped and not answered', async () => {
    const extraChannels = [{ frequency: 867_100_000, minDR: 0, maxDR: 5 }];
    const rig = await createRig({ settings: { extraChannels } });
    const device = rig.device();
    assert.equal(await rig.exchange({ ...device.joinRequest(), frequency: 865_100_000 }), null);
    assert.equal(rig.counts.get('uplinks_dropped unknown-channel'), 1);
    assert.ok(await rig.exchange({ ...device.joinRequest(), frequency: 867_100_000 }));
  });

  it('accepts one of two copies that arrive as two simultaneous uplinks', async () => {
    const rig = await createRig();
    const device = rig.device();
    const request = device.joinRequest();
    await rig.receiveFrame(request);
    await rig.receiveFrame({ ...request, frequency: 868_300_000 });
    await rig.clock.advance(400);
    assert.equal(rig.sent.length, 1);
    assert.equal(rig.counts.get('uplinks_dropped late-copy'), 1);
  });

  const refusals = [
    {
      title: 'wrong key',
      device: { nwkKey: new Uint8Array(16) },
      events: ['error OTAA invalid MIC'],
      dropped: 'join-refused',
    },
    { title: 'unknown device', device: { devEUI: 'ffffffffffffffff' }, events: [], dropped: 'unknown-device' },
  ];
  for (const { title, device, events, dropped } of refusals) {
    it(`refuses a join with ${title}`, async () => {
      const rig = await createRig();
      assert.equal(await rig.exchange(rig.device(device).joinRequest()), null);
      assert.deepEqual(rig.events(), events);
      assert.equal(rig.counts.get(`uplinks_dropped ${dropped}`), 1);
    });
  }

  it('reports which keys are missing', async () => {
    const rig = await createRig();
    rig.rootKeys.clear();
    assert.equal(await rig.exchange(rig.device().joinRequest()), null);
    assert.deepEqual(rig.events(), ['error OTAA the keys of the device are missing']);
  });

  it('ignores a disabled device and a profile without join', async () => {
    const disabled = await createRig({ device: { isDisabled: true } });
    assert.equal(await disabled.exchange(disabled.device().joinRequest()), null);
    const personalised = await createRig({ deviceProfile: { supportsJoin: false } });
    assert.equal(await personalised.exchange(personalised.device().joinRequest()), null);
    assert.deepEqual([...disabled.events(), ...personalised.events()], []);
  });

  it('keeps the old session until the first uplink of the new one', async () => {
    const rig = await createRig();
    const before = await rig.joined();
    await rig.exchange(before.uplink({ fPort: 1, data: text('old') }));
    const after = await rig.joined({ devNonce: 500 });
    await rig.exchange(before.uplink({ fPort: 1, data: text('old again') }));
    assert.equal((await rig.session())?.devAddr, before.session?.devAddr);
    await rig.exchange(after.uplink({ fPort: 1, data: text('new') }));
    assert.equal((await rig.session())?.devAddr, after.session?.devAddr);
    await rig.exchange(before.uplink({ fPort: 1, data: text('too old') }));
    assert.deepEqual(rig.events(), ['up 0', 'up 1', 'up 0']);
    assert.equal(rig.counts.get('uplinks_dropped unknown-device'), 1);
  });

  it('drops the queue of the old session with it', async () => {
    const rig = await createRig();
    const before = await rig.joined();
    await rig.exchange(before.uplink({ fPort: 1 }));
    await rig.enqueue('for the old one');
    const after = await rig.joined({ devNonce: 500 });
    assert.equal((await rig.state.queue(devEUI)).length, 1);
    await rig.exchange(after.uplink({ fPort: 1 }));
    assert.equal((await rig.state.queue(devEUI)).length, 0);
  });

  it('stores the AppSKey until the application has accepted it', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    rig.application.refuse('Internal');
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.notEqual((await rig.session())?.keys.appSKey, null);
    rig.application.accept();
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal((await rig.session())?.keys.appSKey, null);
    assert.equal(rig.application.appSKeys.get(devEUI)?.toHex(), device.session?.keys.appSKey.toHex());
  });

  it('deletes old nonces on request', async () => {
    const rig = await createRig();
    const device = rig.device();
    const first = device.joinRequest();
    await rig.exchange(first);
    for (let join = 0; join < 20; join++) await rig.exchange(device.joinRequest());
    await rig.server.service.clearDeviceNonces({ devEui: Uint8Array.fromHex(devEUI) });
    const { devNonce } = rig.requestOf(first);
    assert.equal(await rig.state.devNonceUsedAt({ devEUI, joinEUI, joinType: 'join', devNonce }), null);
  });

  for (const { macVersion, isAccepted } of [
    { macVersion: '1.0.3', isAccepted: true },
    { macVersion: '1.0.4', isAccepted: false },
    { macVersion: '1.1.0', isAccepted: false },
  ]) {
    it(`${isAccepted ? 'accepts' : 'refuses'} a DevNonce below the last one (${macVersion})`, async () => {
      const rig = await createRig({ macVersion });
      await rig.joined({ devNonce: 500 });
      assert.equal((await rig.exchange(rig.device({ devNonce: 20 }).joinRequest())) !== null, isAccepted);
      assert.deepEqual(rig.events(), isAccepted ? [] : ['error OTAA validate dev-nonce error']);
      assert.ok(await rig.exchange(rig.device({ devNonce: 501 }).joinRequest()));
    });
  }

  it('accepts a lower DevNonce of a 1.0.4 device after its DevNonces were cleared', async () => {
    const rig = await createRig({ macVersion: '1.0.4' });
    await rig.joined({ devNonce: 500 });
    await rig.server.service.clearDeviceNonces({ devEui: Uint8Array.fromHex(devEUI) });
    await rig.joined({ devNonce: 1 });
    assert.deepEqual(rig.events(), []);
  });
});

describe('a join-request after a join-accept that the device received', () => {
  /** A device that used a session and joined again; `later` are sessions that it does not receive, one for each DevNonce. */
  async function joinedBefore(macVersion: string, laterNonces: readonly number[], options: RigOptions = {}) {
    const rig = await createRig({ macVersion, ...options });
    const former = await rig.joined({ devNonce: 1 });
    await rig.exchange(former.uplink({ fPort: 1 }));
    const device = await rig.joined({ devNonce: 3 });
    const later: Device[] = [];
    for (const devNonce of laterNonces) later.push(await rig.joined({ devNonce }));
    return { rig, former, device, later };
  }

  const addresses = async (rig: Rig) => {
    const { current, pending, replaced } = await rig.state.sessions(devEUI);
    return [current?.devAddr, pending?.devAddr, replaced?.devAddr];
  };

  for (const macVersion of ['1.0.2', '1.0.3', '1.0.4', '1.1.0']) {
    it(`does not end its session (${macVersion})`, async () => {
      const { rig, former, device, later } = await joinedBefore(macVersion, [4]);
      const [unreceived] = later;
      assert.deepEqual(
        await addresses(rig),
        [former, unreceived, device].map((one) => one?.session?.devAddr),
      );
      for (let uplink = 0; uplink < 2; uplink++) {
        await rig.exchange(device.uplink({ fPort: 1 }));
        await rig.clock.advance(10_000);
      }
      assert.deepEqual(rig.events(), ['up 0', 'up 0', 'up 1']);
      assert.deepEqual(await addresses(rig), [device.session?.devAddr, unreceived?.session?.devAddr, undefined]);
    });

    it(`whose join-accept it received as well ends the earlier sessions with the first uplink (${macVersion})`, async () => {
      const { rig, former, device, later } = await joinedBefore(macVersion, [4]);
      await rig.exchange(later[0]!.uplink({ fPort: 1 }));
      assert.deepEqual(await addresses(rig), [later[0]!.session?.devAddr, undefined, undefined]);
      for (const earlier of [former, device]) await rig.exchange(earlier.uplink({ fPort: 1 }));
      assert.deepEqual(rig.events(), ['up 0', 'up 0']);
      assert.equal(rig.counts.get('uplinks_dropped unknown-device'), 2);
    });
  }

  it('begins no session that a late uplink of the replaced session ends', async () => {
    const { rig, device, later } = await joinedBefore('1.0.3', [4]);
    await rig.clock.advance(3_600_000);
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.exchange(later[0]!.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), ['up 0', 'up 0', 'up 0']);
    assert.deepEqual(await addresses(rig), [later[0]!.session?.devAddr, undefined, undefined]);
  });

  it('leaves the current session and the last two', async () => {
    const { rig, former, device, later } = await joinedBefore('1.0.3', [2, 4, 5]);
    await rig.exchange(former.uplink({ fPort: 1 }));
    const [first, second, third] = later;
    for (const ended of [device, first!]) await rig.exchange(ended.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), ['up 0', 'up 1']);
    assert.deepEqual(
      await addresses(rig),
      [former, third, second].map((one) => one?.session?.devAddr),
    );
    await rig.exchange(second!.uplink({ fPort: 1 }));
    await rig.exchange(third!.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), ['up 0', 'up 1', 'up 0', 'up 0']);
  });

  it('that would remove the replaced session waits for the uplinks in it that arrived before', async () => {
    const state = createInMemoryState({ apply: () => undefined });
    const openState = () => ({
      ...state,
      async sessionsByDevAddr(devAddr: string) {
        for (let turn = 0; turn < 10; turn++) await nextTurn();
        return state.sessionsByDevAddr(devAddr);
      },
    });
    const { rig, device } = await joinedBefore('1.0.3', [4], { openState });
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(rig.device({ devNonce: 5 }).joinRequest());
    await rig.clock.advance(1000);
    const { current, pending, replaced } = await rig.state.sessions(devEUI);
    assert.deepEqual([current?.devAddr, current?.fCntUp], [device.session?.devAddr, 1]);
    assert.ok(pending && replaced);
  });

  it('does not change the activation that the API shows until a session is used', async () => {
    const { rig, former, device } = await joinedBefore('1.0.3', [4]);
    const shown = async () => {
      const { deviceActivation } = await rig.server.service.getDeviceActivation({ devEui: Uint8Array.fromHex(devEUI) });
      return deviceActivation?.devAddr.toHex();
    };
    assert.equal(await shown(), former.session?.devAddr);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(await shown(), device.session?.devAddr);
  });

  it('leaves no session after a deactivation', async () => {
    const { rig, former, device, later } = await joinedBefore('1.0.3', [4]);
    await rig.server.service.deactivateDevice({ devEui: Uint8Array.fromHex(devEUI) });
    assert.deepEqual(await addresses(rig), [undefined, undefined, undefined]);
    for (const ended of [former, device, later[0]!]) await rig.exchange(ended.uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), ['up 0']);
  });
});

/** The device after it has accepted the join-accept of its rejoin-request. */
async function takeNewSession(rig: Rig, device: Device): Promise<void> {
  const { pending } = await rig.state.sessions(devEUI);
  assert.ok(device.session && pending?.keys.appSKey);
  const keys = { ...pending.keys, appSKey: pending.keys.appSKey.aesKey };
  Object.assign(device.session, { devAddr: pending.devAddr, keys, fCntUp: 0, toAcknowledge: null });
}

describe('rejoining', () => {
  for (const rejoinType of [0, 2] as const) {
    it(`answers type ${rejoinType} with the session keys and refuses the same counter afterwards`, async () => {
      const rig = await createRig({ macVersion: '1.1.0' });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      const request = await rig.rejoinRequest(device, rejoinType, 3);
      const accept = await rig.exchange(request);
      assert.equal(accept?.items[0]?.txInfo?.delayTimingInfo?.delay, 5000);
      const { current, pending } = await rig.state.sessions(devEUI);
      assert.equal(current?.rejoinCount0, 4);
      assert.equal(pending?.role, 'pending');
      await rig.clock.advance(10_000);
      assert.equal(await rig.exchange(request), null);
      assert.equal(rig.counts.get('uplinks_dropped counter-too-low'), 1);
    });
  }

  it('with type 2 keeps the channels known that the device may still have', async () => {
    const extra = { frequency: 867_100_000, minDR: 0, maxDR: 5 };
    const rig = await createRig({ macVersion: '1.1.0', settings: { extraChannels: [extra] } });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1, adrAckReq: true }));
    assert.deepEqual((await rig.session())?.extraChannels, []);
    assert.ok(await rig.exchange(await rig.rejoinRequest(device, 2, 0)));
    await takeNewSession(rig, device);
    const eventCount = rig.events().length;
    await rig.exchange(rig.uplinkOn(device, extra.frequency));
    assert.deepEqual(
      rig
        .events()
        .slice(eventCount)
        .map((event) => event.split(' ')[0]),
      ['up'],
    );
    assert.equal((await rig.session())?.devAddr, device.session?.devAddr);
  });

  it('uses the old session until the first uplink of the new one', async () => {
    const rig = await createRig({ macVersion: '1.1.0' });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const accept = await rig.exchange(await rig.rejoinRequest(device, 0, 0));
    assert.deepEqual(
      accept?.items.map(({ txInfo }) => [txInfo?.delayTimingInfo?.delay, txInfo?.frequency === 869_525_000]),
      [
        [5000, false],
        [6000, true],
      ],
    );
    const before = device.session!.devAddr;
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual([rig.events().at(-1), (await rig.session())?.devAddr], ['up 1', before]);
    await takeNewSession(rig, device);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(rig.events().at(-1), 'up 0');
    const { current, pending } = await rig.state.sessions(devEUI);
    assert.deepEqual([current?.devAddr === before, current?.rejoinCount0, pending], [false, 0, null]);
  });

  for (const [rejoinType, rxDelay] of [
    [0, 5],
    [2, 1],
  ] as const) {
    it(`with type ${rejoinType} gives the device ${rejoinType === 0 ? 'the current radio settings' : 'the radio settings it has'}`, async () => {
      const rig = await createRig({ macVersion: '1.1.0' });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      rig.server.configure({ netID: '000013', settings: { rx1Delay: 5, rx1DROffset: 2 } });
      await rig.exchange(await rig.rejoinRequest(device, rejoinType, 0));
      const { pending } = await rig.state.sessions(devEUI);
      assert.deepEqual([pending?.rxDelay, pending?.rx1DROffset], [rxDelay, rejoinType === 0 ? 2 : 0]);
    });
  }

  it('replaces the unused session of an earlier rejoin-request', async () => {
    const rig = await createRig({ macVersion: '1.1.0' });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.exchange(await rig.rejoinRequest(device, 0, 0));
    const { pending: first } = await rig.state.sessions(devEUI);
    await rig.clock.advance(10_000);
    await rig.exchange(await rig.rejoinRequest(device, 0, 1));
    const { current, pending: second } = await rig.state.sessions(devEUI);
    assert.deepEqual([current?.rejoinCount0, second?.id === first?.id], [2, false]);
  });

  for (const rejoinType of [0, 2] as const)
    it(`of type ${rejoinType} does not end the session of an earlier one that the device uses`, async () => {
      const rig = await createRig({ macVersion: '1.1.0' });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      const repeated = await rig.rejoinRequest(device, rejoinType, 1);
      await rig.exchange(await rig.rejoinRequest(device, rejoinType, 0));
      await rig.clock.advance(10_000);
      const { pending: used } = await rig.state.sessions(devEUI);
      await takeNewSession(rig, device);
      assert.ok(await rig.exchange(repeated));
      await rig.exchange(device.uplink({ fPort: 1 }));
      assert.equal(rig.events().at(-1), 'up 0');
      assert.equal((await rig.session())?.id, used?.id);
    });

  it('is refused with the highest counter, without a channel, with type 1, and without a 1.1 session', async () => {
    const rig = await createRig({ macVersion: '1.1.0' });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const request = await rig.rejoinRequest(device, 0, 0);
    const frame = { mType: 'RejoinRequest', major: 0, rejoinType: 1, joinEUI, devEUI, rjCount: 0 } as const;
    const ofType1 = { ...request, phyPayload: encodeFrame({ ...frame, mic: new Uint8Array(4) }) };
    for (const [reason, refused] of [
      ['counter-too-low', await rig.rejoinRequest(device, 0, 0xffff)],
      ['unknown-channel', { ...request, frequency: 867_300_000 }],
      ['rejoin-not-supported', ofType1],
    ] as const) {
      assert.equal(await rig.exchange(refused), null, reason);
      assert.equal(rig.counts.get(`uplinks_dropped ${reason}`), 1, reason);
    }
    assert.equal((await rig.state.sessions(devEUI)).pending, null);

    const older = await createRig();
    const ofOlder = await older.joined();
    assert.equal(await older.exchange(await older.rejoinRequest(ofOlder, 0, 0)), null);
    const none = await createRig({ macVersion: '1.1.0' });
    assert.equal(await none.exchange(request), null);
    for (const { counts } of [older, none]) assert.equal(counts.get('uplinks_dropped no-session'), 1);
  });

  it('is ignored for a disabled device', async () => {
    const rig = await createRig({ macVersion: '1.1.0' });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.setDisabled(true);
    const request = await rig.rejoinRequest(device, 0, 1);
    assert.equal(await rig.exchange(request), null);
    assert.equal(rig.counts.get('uplinks_dropped device-disabled'), 1);
    assert.equal((await rig.state.sessions(devEUI)).pending, null);
    await rig.setDisabled(false);
    await rig.clock.advance(10_000);
    assert.ok(await rig.exchange(request));
  });

  it('refuses a wrong MIC and a foreign network', async () => {
    const rig = await createRig({ macVersion: '1.1.0' });
    const device = await rig.joined();
    const request = await rig.rejoinRequest(device, 0, 1);
    request.phyPayload[18] = (request.phyPayload[18] ?? 0) ^ 1;
    assert.equal(await rig.exchange(request), null);
    const foreign = await rig.rejoinRequest(device, 0, 1, '000014');
    assert.equal(await rig.exchange(foreign), null);
    assert.equal(rig.counts.get('uplinks_dropped wrong-mic'), 1);
    assert.equal(rig.counts.get('uplinks_dropped wrong-network'), 1);
  });
});

describe('a join, where the settings want its event with the join-accept', () => {
  it('is reported at once and once, also when the setting changes before the first uplink', async () => {
    const rig = await createRig({ settings: { joinEventAtJoinAccept: true } });
    const device = rig.device();
    const accept = await rig.exchange(device.joinRequest());
    device.receive(accept!.items[0]!.phyPayload);
    assert.deepEqual(rig.events(), ['join']);
    rig.server.configure({ netID: '000013', settings: {} });
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.exchange(device.joinRequest());
    assert.deepEqual(rig.events(), ['join', 'up 0']);
    const [, up] = rig.application.calls;
    assert.equal(up?.event === 'up' && up.radio?.isJoinReported, true);
  });
});
