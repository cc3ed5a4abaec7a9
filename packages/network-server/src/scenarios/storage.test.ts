import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, gatewayIDs } from '../testing/rig.ts';

describe('a storage outage', () => {
  for (const seconds of [1, 95, 3600]) {
    it(`of ${seconds} s loses nothing that was acknowledged, preserves the order, and ends within 2 s of the recovery`, async () => {
      const rig = await createRig();
      const [device, other] = [await rig.activated(), await rig.addTwin(await rig.activated())];
      for (let nth = 0; nth < 5; nth += 1) {
        await rig.receiveFrame(device.uplink({ fPort: 1 }));
        await rig.receiveFrame(other.uplink({ fPort: 1 }));
      }
      rig.storage.goAway();
      await rig.clock.advance(300);
      await assert.rejects(rig.receiveFrame(device.uplink({ fPort: 1 })));
      await rig.clock.advance(seconds * 1000);
      assert.deepEqual(rig.events(), []);
      rig.storage.comeBack();
      await rig.clock.advance(2000);
      assert.deepEqual(
        [device, other].map(({ devEUI }) =>
          rig.application.calls.flatMap((call) => (call.event === 'up' && call.devEUI === devEUI ? [call.fCnt] : [])),
        ),
        [
          [0, 1, 2, 3, 4],
          [0, 1, 2, 3, 4],
        ],
      );
      assert.deepEqual(await rig.unfinished(), []);
      await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
      assert.equal(rig.events().at(-1), 'up 6');
    });
  }

  it('delays late copies, too', async () => {
    const rig = await createRig({ settings: { maxUnprocessedCopies: 1 } });
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 1 });
    await rig.receiveFrame(uplink);
    await rig.clock.advance(250);
    rig.slowDown();
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
    rig.storage.goAway();
    await rig.clock.advance(100_000);
    assert.equal((await rig.unfinished()).length, 1);
    rig.storage.comeBack();
    for (let turn = 0; turn < 10; turn += 1) await rig.clock.advance(500);
    assert.deepEqual(await rig.unfinished(), []);
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
  });

  it('is noted, and the stop logs the number of uplinks that wait', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    for (let nth = 0; nth < 3; nth += 1) await rig.receiveFrame(device.uplink({ fPort: 1 }));
    rig.storage.goAway();
    await rig.clock.advance(1000);
    assert.equal(rig.notedFailures[0], rig.storage.failure);
    await rig.server.stop();
    const text = 'Uplinks could not be written before the stop; the next start processes them.';
    assert.deepEqual(rig.errors, [{ fields: { err: rig.storage.failure, uplinks: 3 }, text }]);
  });

  it('at the stop leaves copies that the start reads in pages, oldest first', async () => {
    const rig = await createRig({ settings: { maxUnprocessedCopies: 3 } });
    const device = await rig.activated();
    rig.storage.goAway();
    const copies = await rig.journal(Array.from({ length: 10 }, () => device.uplink({ fPort: 1 })));
    assert.equal(copies, 10);
    rig.storage.comeBack();
    await rig.restart();
    await rig.clock.advance(1000);
    assert.deepEqual(
      rig.events(),
      Array.from({ length: 10 }, (_, nth) => `up ${nth}`),
    );
    assert.deepEqual(await rig.unfinished(), []);
    assert.equal(rig.counts.get('uplinks_shed'), undefined);
  });
});

describe('an uplink that storage accepted late', () => {
  it('is not answered any more, because its windows have passed', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: true }));
    rig.storage.goAway();
    await rig.clock.advance(1000);
    rig.storage.comeBack();
    await rig.clock.advance(5000);
    assert.deepEqual(rig.events(), ['up 0']);
    assert.deepEqual(rig.sent, []);
  });

  it('is never dropped, even when storage accepts other writes', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    rig.application.fail(rig.storage.failure);
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(100_000);
    assert.equal(rig.counts.get('uplinks_dropped failed'), undefined);
    rig.application.accept();
    await rig.clock.advance(2000);
    assert.deepEqual(rig.events(), ['up 0']);
  });
});

describe('a frame whose processing fails', () => {
  it('is tried three times, counted and dropped, and delays no others', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const twin = await rig.addTwin(device);
    rig.application.fail(new TypeError('cannot read properties of undefined'));
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    assert.equal(rig.counts.get('uplinks_failed'), 3);
    assert.equal(rig.counts.get('uplinks_dropped failed'), 1);
    assert.deepEqual(await rig.unfinished(), []);
    rig.application.accept();
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(twin.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    assert.deepEqual(rig.events(), ['up 1', 'up 0']);
  });
});

describe('devices with one DevAddr', () => {
  it('do not wait for each other', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const twin = await rig.addTwin(device);
    const gate = Promise.withResolvers<void>();
    rig.application.hold(device.devEUI, gate.promise);
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(twin.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    assert.deepEqual(
      rig.application.calls.map((call) => call.event === 'up' && [call.devEUI, call.fCnt]),
      [[twin.devEUI, 0]],
    );
    gate.resolve();
    await rig.clock.advance(400);
    assert.deepEqual(rig.events(), ['up 0', 'up 0', 'up 1']);
  });

  it('are looked up once for an uplink that need not wait', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const before = rig.counts.get('reads sessionsByDevAddr') ?? 0;
    for (let nth = 0; nth < 3; nth += 1) await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal((rig.counts.get('reads sessionsByDevAddr') ?? 0) - before, 3);
    assert.deepEqual(rig.events(), ['up 0', 'up 1', 'up 2']);
  });

  it('are looked up once for an uplink that waits, at its turn', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const gate = Promise.withResolvers<void>();
    rig.application.hold(device.devEUI, gate.promise);
    const reads = () => ['sessionsByDevAddr', 'sessions'].map((what) => rig.counts.get(`reads ${what}`) ?? 0);
    const before = reads();
    for (let nth = 0; nth < 5; nth += 1) await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(250);
    assert.deepEqual(reads(), [before[0]! + 1, before[1]]);
    gate.resolve();
    await rig.clock.advance(50);
    assert.deepEqual(rig.events(), ['up 0', 'up 1', 'up 2', 'up 3', 'up 4']);
    assert.deepEqual(reads(), [before[0]! + 5, before[1]]);
  });

  it('are distinguished when one gets the address while uplinks of the other wait', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const gate = Promise.withResolvers<void>();
    rig.application.hold(device.devEUI, gate.promise);
    for (let nth = 0; nth < 2; nth += 1) await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    const twin = await rig.addTwin(device);
    for (let nth = 0; nth < 2; nth += 1) await rig.receiveFrame(twin.uplink({ fPort: 1 }));
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(400);
    gate.resolve();
    await rig.clock.advance(400);
    const uplinks = rig.application.calls.flatMap((one) => (one.event === 'up' ? [[one.devEUI, one.fCnt]] : []));
    const of = ({ devEUI }: typeof device) => uplinks.filter(([one]) => one === devEUI).map(([, fCnt]) => fCnt);
    assert.deepEqual(
      [of(device), of(twin)],
      [
        [0, 1, 2],
        [0, 1],
      ],
    );
    assert.deepEqual(await rig.unfinished(), []);
  });
});
