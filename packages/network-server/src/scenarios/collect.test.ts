import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FrameLogEntry } from '../network/frame-log.ts';
import { createRig, devEUI, gatewayIDs } from '../testing/rig.ts';

async function first(entries: AsyncIterable<FrameLogEntry>, count: number): Promise<FrameLogEntry[]> {
  const taken: FrameLogEntry[] = [];
  for await (const entry of entries) {
    taken.push(entry);
    if (taken.length === count) break;
  }
  return taken;
}

describe('collecting', () => {
  it('creates one event from two copies, best reception first, with one frame log entry each', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[0], snr: 2 });
    await rig.clock.advance(150);
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1], snr: 9 });
    await rig.clock.advance(150);
    const ups = rig.application.calls.filter((call) => call.event === 'up');
    assert.deepEqual(
      ups.map(({ fCnt, fPort, rx }) => ({ fCnt, fPort, rx })),
      [{ fCnt: 0, fPort: 5, rx: [gatewayIDs[1], gatewayIDs[0]] }],
    );
    const signal = new AbortController().signal;
    for (const [index, gatewayID] of gatewayIDs.entries()) {
      const gatewayId = Uint8Array.fromHex(gatewayID);
      const entries = await first(
        rig.server.service.streamFrameLogsForGateway({ gatewayId }, signal),
        index === 0 ? 3 : 1,
      );
      const last = entries.at(-1)?.uplinkFrameSet;
      assert.equal(last?.mType, 'UnconfirmedDataUp');
      assert.deepEqual(
        last?.rxInfo.map((rxInfo) => rxInfo.gatewayID.toHex()),
        [gatewayID],
      );
    }
    const devEui = Uint8Array.fromHex(devEUI);
    const [join, accept, data] = await first(rig.server.service.streamFrameLogsForDevice({ devEui }, signal), 3);
    assert.equal(join?.uplinkFrameSet?.mType, 'JoinRequest');
    assert.equal(accept?.downlinkFrame?.mType, 'JoinAccept');
    assert.equal(data?.uplinkFrameSet?.rxInfo.length, 2);
  });

  it('treats copies up to 1 kHz off a channel as one uplink on that channel', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    const { frequency } = uplink;
    await rig.receiveFrame({ ...uplink, frequency: frequency + 700 }, { gatewayID: gatewayIDs[0] });
    await rig.receiveFrame({ ...uplink, frequency: frequency - 3 }, { gatewayID: gatewayIDs[1] });
    await rig.receiveFrame(
      { ...device.uplink({ fPort: 5 }), frequency: frequency + 1200 },
      { gatewayID: gatewayIDs[0] },
    );
    await rig.clock.advance(200);
    const ups = rig.application.calls.filter((call) => call.event === 'up');
    assert.deepEqual(
      ups.map(({ fCnt, rx }) => ({ fCnt, gateways: rx.length })),
      [{ fCnt: 0, gateways: 2 }],
    );
  });

  it('begins its window when the first copy arrives, unless storage is slow', async () => {
    for (const [onDiskMs, endsMs] of [
      [6, 200],
      [50, 240],
    ] as const) {
      const rig = await createRig();
      const device = await rig.joined();
      const goOn = rig.holdNextReceipt();
      const received = rig.receiveFrame(device.uplink({ fPort: 5 }));
      await rig.clock.advance(onDiskMs);
      goOn();
      await received;
      await rig.clock.advance(endsMs - onDiskMs - 1);
      assert.deepEqual(rig.events(), []);
      await rig.clock.advance(1);
      assert.deepEqual(rig.events(), ['up 0']);
    }
  });

  it('waits for copies that arrived in its window and are not stored yet, and for no later ones', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink);
    await rig.clock.advance(199);
    const within = rig.holdNextReceipt();
    const second = rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(5);
    const after = rig.holdNextReceipt();
    const third = rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1], tmst: 2_000_000 });
    await rig.clock.advance(5);
    assert.deepEqual(rig.events(), []);
    within();
    await second;
    await rig.clock.advance(0);
    const [up] = rig.application.calls.filter((call) => call.event === 'up');
    assert.deepEqual(up?.rx, gatewayIDs);
    after();
    await third;
    await rig.clock.advance(1000);
    assert.deepEqual(rig.events(), ['up 0']);
    assert.equal(rig.counts.get('uplink_copies_late'), 1);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('does not wait for a copy that was refused', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink);
    const goOn = rig.holdNextReceipt();
    const refused = assert.rejects(rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] }));
    await rig.clock.advance(210);
    assert.deepEqual(rig.events(), []);
    goOn(Promise.reject(new Error('The disk is full.')));
    await refused;
    await rig.clock.advance(0);
    assert.deepEqual(rig.events(), ['up 0']);
  });

  it('preserves the order of a device whose uplink waits for a copy', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink);
    await rig.receiveFrame(device.uplink({ fPort: 5 }));
    const goOn = rig.holdNextReceipt();
    const copy = rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(250);
    assert.deepEqual(rig.events(), []);
    goOn();
    await copy;
    await rig.clock.advance(0);
    assert.deepEqual(rig.events(), ['up 0', 'up 1']);
  });

  it('closes windows together that end within a tenth of their time', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    for (let nth = 0; nth < 30; nth += 1) {
      await rig.receiveFrame(device.uplink({ fPort: 5 }));
      await rig.clock.advance(1);
    }
    await rig.clock.advance(169);
    assert.deepEqual(rig.events(), []);
    await rig.clock.advance(1);
    assert.equal(rig.events().length, 21);
    await rig.clock.advance(21);
    assert.equal(rig.events().length, 30);
  });

  it('accepts no more receptions from one gateway than it has antennas', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    for (let tmst = 1; tmst <= 100; tmst++) await rig.receiveFrame(uplink, { tmst });
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(400);
    const [up] = rig.application.calls.filter((call) => call.event === 'up');
    assert.equal(up?.rx?.length, 17);
    assert.equal(rig.counts.get('uplink_copies_surplus'), 84);
    assert.equal((await rig.session())?.receivers.length, 17);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('ignores a copy that arrives after the uplink was processed, and finishes it', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink);
    await rig.clock.advance(250);
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(1000);
    assert.deepEqual(rig.events(), ['up 0']);
    assert.deepEqual(await rig.unfinished(), []);
    assert.equal(rig.counts.get('uplink_copies_late'), 1);
  });

  it('shows each copy in the log of its gateway, including late ones', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink);
    await rig.clock.advance(250);
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1], snr: -3 });
    const gatewayId = Uint8Array.fromHex(gatewayIDs[1]);
    const frames = rig.server.service.streamFrameLogsForGateway({ gatewayId }, new AbortController().signal);
    const [late] = await first(frames, 1);
    assert.equal(late?.uplinkFrameSet?.phyPayload.toHex(), uplink.phyPayload.toHex());
    assert.equal(late?.uplinkFrameSet?.rxInfo[0]?.loRaSNR, -3);
  });

  it('frees the place of every late copy', async () => {
    const rig = await createRig({ settings: { maxUnprocessedCopies: 2 } });
    const device = await rig.joined();
    for (let round = 0; round < 3; round += 1) {
      const uplink = device.uplink({ fPort: 5 });
      await rig.receiveFrame(uplink);
      await rig.clock.advance(210);
      for (let copy = 0; copy < 5; copy += 1) {
        await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
        await rig.clock.advance(1);
      }
      await rig.clock.advance(1000);
    }
    assert.deepEqual(rig.events(), ['up 0', 'up 1', 'up 2']);
    assert.equal(rig.counts.get('uplink_copies_late'), 15);
    assert.equal(rig.counts.get('uplinks_shed'), undefined);
  });

  it('identifies each reception and each downlink by a version 4 UUID', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    for (const gatewayID of gatewayIDs) await rig.receiveFrame(uplink, { gatewayID });
    await rig.clock.advance(400);
    const [up] = rig.application.calls;
    const names = up?.event === 'up' ? up.request.rxInfo.map(({ uplinkID }) => uplinkID.toHex()) : [];
    assert.equal(new Set(names).size, 2);
    const downlinks = rig.sent.map(({ downlinkID }) => downlinkID.toHex());
    assert.ok(downlinks.length > 0);
    for (const name of [...names, ...downlinks]) assert.match(name, /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    const devEui = Uint8Array.fromHex(devEUI);
    const frames = rig.server.service.streamFrameLogsForDevice({ devEui }, new AbortController().signal);
    const shown = (await first(frames, 3)).at(-1)?.uplinkFrameSet?.rxInfo.map(({ uplinkID }) => uplinkID.toHex());
    assert.deepEqual(shown, names);
  });

  it('counts a repeated report of one reception once', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink);
    await rig.receiveFrame(uplink);
    await rig.clock.advance(400);
    const [up] = rig.application.calls;
    assert.deepEqual(up?.event === 'up' && up.rx, [gatewayIDs[0]]);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('drops uplinks that only unknown gateways received, unless they are allowed', async () => {
    for (const allowUnknownGateways of [false, true]) {
      const rig = await createRig({ settings: { allowUnknownGateways } });
      const device = await rig.joined();
      await rig.receiveFrame(device.uplink({ fPort: 5 }), { gatewayID: 'ffffffffffffffff' });
      await rig.clock.advance(400);
      assert.deepEqual(rig.events(), allowUnknownGateways ? ['up 0'] : []);
    }
  });

  it('leaves out private gateways of another service-profile', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const foreign = await rig.privateServiceProfile();
    await rig.addGateway('0b00000000000001', { serviceProfileId: foreign });
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: '0b00000000000001' });
    await rig.clock.advance(1000);
    assert.equal(rig.counts.get('uplinks_dropped private-gateways'), 1);
    const next = device.uplink({ fPort: 5 });
    await rig.receiveFrame(next, { gatewayID: '0b00000000000001', snr: 12 });
    await rig.receiveFrame(next, { snr: 1 });
    await rig.clock.advance(400);
    const [up] = rig.application.calls;
    assert.deepEqual(up?.event === 'up' && up.rx, [gatewayIDs[0]]);
  });

  it('accepts receptions without concentrator time, and answers through a gateway that can time the response', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const timeless = { gatewayID: gatewayIDs[0], snr: 12, tmst: -1 };
    assert.equal(await rig.exchange(device.uplink({ fPort: 1, confirmed: true }), timeless), null);
    assert.deepEqual(rig.events(), ['up 0']);
    const uplink = device.uplink({ fPort: 1, confirmed: true });
    await rig.receiveFrame(uplink, timeless);
    const answer = await rig.exchange(uplink, { gatewayID: gatewayIDs[1], snr: 1 });
    assert.equal(answer?.gatewayID.toHex(), gatewayIDs[1]);
  });

  it('refuses copies when too many wait', async () => {
    const rig = await createRig({ settings: { maxUnprocessedCopies: 1 } });
    const device = await rig.joined();
    const [one, two] = [device.uplink({ fPort: 1 }), device.uplink({ fPort: 1 })];
    await rig.receiveFrame(one);
    await assert.rejects(rig.receiveFrame(two), /Too many uplinks/);
    await rig.clock.advance(400);
    await rig.receiveFrame(two);
    await rig.clock.advance(400);
    assert.deepEqual(rig.events(), ['up 0', 'up 1']);
    assert.equal(rig.counts.get('uplinks_shed'), 1);
  });

  it('stores the location and adds it to receptions', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.addGateway('0c00000000000001', { location: { latitude: 1.5, longitude: 2.5, altitude: 3 } });
    await rig.receiveFrame(device.uplink({ fPort: 1 }), { gatewayID: '0c00000000000001' });
    await rig.clock.advance(400);
    const [up] = rig.application.calls;
    assert.equal(up?.event === 'up' && up.request.rxInfo[0]?.location?.latitude, 1.5);
  });

  it('omits gateways when the service-profile does not include them', async () => {
    const rig = await createRig({ serviceProfile: { addGwMetadata: false } });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const [up] = rig.application.calls;
    assert.deepEqual(up?.event === 'up' && up.rx, []);
  });
});

describe('restarting', () => {
  it('processes unfinished copies of the journal, and answers none', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const { length } = rig.sent;
    await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: true }));
    assert.equal((await rig.unfinished()).length, 1);
    await rig.restart();
    await rig.clock.advance(1000);
    assert.ok(rig.events().includes('up 0'));
    assert.equal(rig.sent.length, length);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('processes copies that a storage outage left at the stop', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    rig.storage.goAway();
    await rig.clock.advance(400);
    await rig.server.stop();
    assert.equal((await rig.unfinished()).length, 1);
    assert.equal((await rig.session())?.fCntUp, 0);
    rig.storage.comeBack();
    await rig.restart();
    await rig.clock.advance(1000);
    assert.deepEqual(rig.events(), ['up 0']);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('finishes a copy that it cannot parse', async () => {
    const rig = await createRig();
    await rig.state.receive(['{"phyPayload":7', '{}']);
    await rig.restart();
    await rig.clock.advance(1000);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('finishes the copies that it has when it stops', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: true }));
    await rig.server.stop();
    assert.deepEqual(rig.events(), ['up 0']);
    assert.equal(rig.sent.length, 2);
    await assert.rejects(rig.receiveFrame(device.uplink({ fPort: 1 })), /stopping/);
  });
});
