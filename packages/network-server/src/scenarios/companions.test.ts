import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeCopies } from '../testing/fake-copies.ts';
import { createRig, gatewayIDs, type Rig } from '../testing/rig.ts';

const [near, far] = gatewayIDs;

async function createPair() {
  const copies = createFakeCopies();
  const rig = await createRig({ copies: () => copies.side() });
  const device = await rig.joined();
  const other = await rig.companion();
  return { copies, rig, device, other };
}

const upsOf = (rig: Rig) =>
  rig.application.told.flatMap((told) =>
    told.event === 'up' ? [{ fCnt: told.fCnt, rx: [...(told.rx ?? [])].sort() }] : [],
  );
const errorsOf = (rig: Rig) => rig.application.told.filter(({ event }) => event === 'error');

describe('several processes on one state', () => {
  it('make one event of what each of them heard, with all receptions', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.hear(uplink, { gatewayID: near });
    await rig.clock.advance(50);
    await rig.hear(uplink, { gatewayID: far }, other);
    await rig.clock.advance(3000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near, far] }]);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('count what one hears after the other has handled it as late', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.hear(uplink, { gatewayID: near });
    await rig.clock.advance(250);
    await rig.hear(uplink, { gatewayID: far }, other);
    await rig.clock.advance(3000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near] }]);
    assert.equal(rig.counts.get('uplink_copies_late'), 1);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('handle what each has when nobody can say who else has what: one event all the same', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    for (const confirmed of [false, true]) {
      const before = rig.sent.length;
      const uplink = device.uplink({ fPort: 5, confirmed });
      await rig.hear(uplink, { gatewayID: near });
      await rig.hear(uplink, { gatewayID: far }, other);
      await rig.clock.advance(3000);
      assert.equal(rig.sent.length - before, Number(confirmed), 'answered once');
    }
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('take up what one had in hand that died, and give it up to nobody twice', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.hear(uplink, { gatewayID: far }, other);
    await rig.clock.advance(50);
    await rig.hear(uplink, { gatewayID: near });
    other.die();
    await rig.clock.advance(5000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near, far] }]);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('tell what came before and was left by the dead after what came later', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    await rig.hear(device.uplink({ fPort: 5 }), { gatewayID: far }, other);
    other.die();
    await rig.clock.advance(1000);
    await rig.exchange(device.uplink({ fPort: 5 }));
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 2, 1],
    );
    const next = await rig.exchange(device.uplink({ fPort: 5, confirmed: true }));
    assert.notEqual(next, null);
    assert.deepEqual([errorsOf(rig), await rig.unfinished(), (await rig.session())?.missed], [[], [], []]);
  });

  it('let one join-request make one session', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    const before = rig.sent.length;
    const request = device.joinRequest();
    await rig.hear(request, { gatewayID: near });
    await rig.hear(request, { gatewayID: far }, other);
    await rig.clock.advance(3000);
    assert.equal(rig.sent.length - before, 1);
    assert.deepEqual(await rig.unfinished(), []);
  });
});
