import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, gatewayIDs, type Rig } from '../testing/rig.ts';

const again = 'error DATA_UP_FCNT_RETRANSMISSION counter did not increment';
const reset = 'error DATA_UP_FCNT_RESET counter did not increment';

async function orderNbTrans(rig: Rig, nbTrans: number): Promise<void> {
  const session = (await rig.session())!;
  await rig.state.commit({ writes: [{ kind: 'saveSession', session: { ...session, nbTrans } }], effects: [] });
}

describe('an uplink that is repeated on request of the network', () => {
  for (const nbTrans of [2, 3]) {
    it(`${nbTrans} times is one event, and its repetitions are counted`, async () => {
      const rig = await createRig();
      const device = await rig.activated();
      await rig.exchange(device.uplink({ fPort: 1 }));
      await orderNbTrans(rig, nbTrans);
      const uplink = device.uplink({ fPort: 1 });
      for (let sent = 0; sent < nbTrans; sent += 1) {
        await rig.exchange(uplink, { tmst: 1_000_000 + sent * 4_000_000 });
        await rig.clock.advance(4000);
      }
      await rig.exchange(device.uplink({ fPort: 1 }));
      assert.deepEqual(rig.events(), ['up 0', 'up 1', 'up 2']);
      assert.equal(rig.counts.get('uplinks_dropped repetition'), nbTrans - 1);
      assert.deepEqual(await rig.unfinished(), []);
    });
  }

  it('is reported when it arrives again after the time that repetitions take', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await orderNbTrans(rig, 3);
    const uplink = device.uplink({ fPort: 1 });
    await rig.exchange(uplink);
    await rig.clock.advance(60_000);
    await rig.exchange(uplink);
    assert.deepEqual(rig.events(), ['up 0', 'up 1', again]);
  });

  it('may take longer at a slow data-rate, because of the duty cycle', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await orderNbTrans(rig, 2);
    const uplink = rig.sameDeviceAt(device, 1, { dataRate: 0 }).uplink({ fPort: 1 });
    await rig.exchange(uplink);
    await rig.clock.advance(120_000);
    await rig.exchange(uplink);
    assert.deepEqual(rig.events(), ['up 0', 'up 1']);
  });
});

describe('a repeated confirmed uplink', () => {
  for (const [waitMs, after] of [
    [4000, 'within-20s'],
    [25_000, 'later'],
  ] as const) {
    it(`after ${waitMs} ms is acknowledged again and counted as ${after}`, async () => {
      const rig = await createRig();
      const device = await rig.activated();
      const uplink = device.uplink({ fPort: 1, confirmed: true });
      await rig.exchange(uplink);
      await rig.clock.advance(waitMs);
      assert.ok(await rig.exchange(uplink, { tmst: 30_000_000 }));
      assert.deepEqual(rig.events(), ['up 0']);
      assert.equal(rig.counts.get(`uplinks_repeated ${after}`), 1);
    });
  }
});

describe('a late copy', () => {
  it('by a slow gateway is counted, and not reported', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const uplink = device.uplink({ fPort: 1, confirmed: true });
    await rig.exchange(uplink);
    await rig.clock.advance(500);
    assert.equal(await rig.exchange(uplink, { gatewayID: gatewayIDs[1] }), null);
    assert.deepEqual(rig.events(), ['up 0']);
    assert.equal(rig.counts.get('uplinks_dropped late-copy'), 1);
  });

  for (const first of [0, 65_535, 70_000]) {
    it(`after a newer uplink is counted, and not reported (counter ${first})`, async () => {
      const rig = await createRig();
      const device = await rig.activated({ fCntUp: first });
      const uplink = device.uplink({ fPort: 1 });
      await rig.exchange(uplink);
      await rig.exchange(device.uplink({ fPort: 1 }));
      await rig.clock.advance(200);
      await rig.exchange(uplink, { gatewayID: gatewayIDs[1] });
      assert.deepEqual(rig.events(), [`up ${first}`, `up ${first + 1}`]);
      assert.equal(rig.counts.get('uplinks_dropped late-copy'), 1);
    });
  }

  it('that is a minute late is a replay, and reported', async () => {
    const rig = await createRig();
    const device = await rig.activated();
    const uplink = device.uplink({ fPort: 1 });
    await rig.exchange(uplink);
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(60_000);
    await rig.exchange(uplink, { gatewayID: gatewayIDs[1] });
    assert.deepEqual(rig.events(), ['up 0', 'up 1', reset]);
  });

  it('with a counter far behind is a restarted device, and reported', async () => {
    const rig = await createRig();
    const device = await rig.activated({ fCntUp: 500 });
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.exchange(rig.sameDeviceAt(device, 0).uplink({ fPort: 1 }));
    assert.deepEqual(rig.events(), ['up 500', reset]);
  });

  it('of an accepted join-request is counted, and not reported', async () => {
    const rig = await createRig();
    const request = rig.device().joinRequest();
    assert.ok(await rig.exchange(request));
    await rig.clock.advance(600);
    assert.equal(await rig.exchange(request, { gatewayID: gatewayIDs[1] }), null);
    assert.deepEqual(rig.events(), []);
    assert.equal(rig.counts.get('uplinks_dropped late-copy'), 1);
  });
});
