import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrame } from '@hilltop/lorawan';
import type { Device, Transmission } from '@hilltop/simulator';
import type { GatewayPath } from '../gateways/paths.ts';
import { createFakeCopies } from '../testing/fake-copies.ts';
import { createRig, gatewayIDs, type Rig, type RigOptions } from '../testing/rig.ts';

const [near, far] = gatewayIDs;

async function createPair(options: RigOptions = {}) {
  const copies = createFakeCopies();
  const rig = await createRig({ ...options, copies: () => copies.side() });
  const device = await rig.joined();
  const other = await rig.companion();
  return { copies, rig, device, other };
}

type Companion = Awaited<ReturnType<Rig['companion']>>;

const upsOf = (rig: Rig) =>
  rig.application.told.flatMap((told) =>
    told.event === 'up' ? [{ fCnt: told.fCnt, rx: [...(told.rx ?? [])].sort() }] : [],
  );
/** It hears so many uplinks and ends before it has done anything about them. */
async function leave(rig: Rig, device: Device, dying: Companion, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) await rig.hear(device.uplink({ fPort: 5 }), { gatewayID: far }, dying);
  dying.die();
}

const errorsOf = (rig: Rig) => rig.application.told.filter(({ event }) => event === 'error');

describe('a missed counter above 16 bits', () => {
  async function missFirst() {
    const copies = createFakeCopies();
    const rig = await createRig({ copies: () => copies.side() });
    const device = await rig.activated({ fCntUp: 70_000 });
    await rig.exchange(device.uplink({ fPort: 5 }));
    const missed = device.uplink({ fPort: 5 });
    for (let nth = 0; nth < 20; nth += 1) {
      await rig.hear(device.uplink({ fPort: 5 }));
      await rig.clock.advance(1000);
    }
    await rig.journal([missed]);
    return { rig, device };
  }

  it('is processed when its copy is found in the journal', async () => {
    const { rig } = await missFirst();
    await rig.clock.advance(5000);
    assert.equal(rig.events().at(-1), 'up 70001');
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('is processed before a later uplink that follows a gap', async () => {
    const { rig, device } = await missFirst();
    device.uplink({ fPort: 5 });
    await rig.hear(device.uplink({ fPort: 5 }));
    await rig.clock.advance(1000);
    assert.deepEqual(rig.events().slice(-2), ['up 70001', 'up 70023']);
  });
});

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

  it('are done with what comes late, and tell it although the one dies that was to', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.hear(uplink, { gatewayID: far }, other);
    await rig.clock.advance(199);
    other.die();
    await rig.clock.advance(10);
    const before = rig.counts.get('reads sessionsByDevAddr') ?? 0;
    await rig.hear(uplink, { gatewayID: near });
    await rig.clock.advance(300);
    assert.equal((await rig.unfinished()).length, 1, 'the copy of the one that died');
    assert.equal((rig.counts.get('reads sessionsByDevAddr') ?? 0) - before, 0, 'nobody had to look whose it is');
    await rig.clock.advance(5000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [far] }]);
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

  it('let one go first when nobody can say who else has what, so that the others find it done', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    const uplink = device.uplink({ fPort: 5 });
    const before = rig.counts.get('reads sessionsByDevAddr') ?? 0;
    const looks = () => (rig.counts.get('reads sessionsByDevAddr') ?? 0) - before;
    await rig.hear(uplink, { gatewayID: near });
    await rig.hear(uplink, { gatewayID: far }, other);
    await rig.clock.advance(250);
    assert.deepEqual([looks(), upsOf(rig).length], [1, 1]);
    await rig.clock.advance(2750);
    assert.deepEqual([looks(), upsOf(rig).length, rig.counts.get('uplinks_dropped late-copy')], [2, 1, 1]);
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

  it('take that up as soon as it is missed, and wait for nothing else', async () => {
    const { rig, device, other, copies } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.hear(uplink, { gatewayID: far }, other);
    await rig.hear(uplink, { gatewayID: near });
    await rig.clock.advance(100);
    other.die();
    await rig.clock.advance(150);
    copies.miss(1);
    await rig.clock.advance(200);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near, far] }]);
    await rig.clock.advance(5000);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('take that up one after the other, so that the others find it done', async () => {
    const { rig, device, other, copies } = await createPair();
    const third = await rig.companion();
    const uplink = device.uplink({ fPort: 5 });
    await rig.hear(uplink, { gatewayID: far }, other);
    await rig.hear(uplink, { gatewayID: near });
    await rig.hear(uplink, { gatewayID: near }, third);
    await rig.clock.advance(100);
    other.die();
    await rig.clock.advance(150);
    const before = rig.counts.get('reads sessionsByDevAddr') ?? 0;
    copies.miss(1);
    await rig.clock.advance(250);
    assert.deepEqual([(rig.counts.get('reads sessionsByDevAddr') ?? 0) - before, upsOf(rig).length], [1, 1]);
    await rig.clock.advance(5000);
    assert.equal(rig.counts.get('uplinks_contended') ?? 0, 0);
    assert.deepEqual([upsOf(rig).length, errorsOf(rig), await rig.unfinished()], [1, [], []]);
  });

  it('tell what the dead left before what came later, and answer that', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    await leave(rig, device, other, 1);
    await rig.clock.advance(1000);
    const answer = await rig.exchange(device.uplink({ fPort: 5, confirmed: true }));
    assert.notEqual(answer, null);
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished(), (await rig.session())?.missed], [[], [], []]);
  });

  it('tell what several of the dead left of one device in its order, whoever takes it up', async () => {
    const { rig, device, other } = await createPair();
    const another = await rig.companion();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const later = device.uplink({ fPort: 5 });
    const latest = device.uplink({ fPort: 5 });
    await rig.hear(latest, { gatewayID: far }, another);
    await rig.hear(later, { gatewayID: far }, other);
    for (const one of [other, another]) one.die();
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('are not held up by what is no whole frame under the address of a device', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const cut = device.uplink({ fPort: 5 });
    for (const length of [5, 6, 7, 8, 9])
      await rig.hear({ ...cut, phyPayload: cut.phyPayload.subarray(0, length) }, { gatewayID: far }, other);
    other.die();
    await rig.exchange(device.uplink({ fPort: 5 }));
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 2],
    );
  });

  it('leave an earlier uplink to who has it in hand and is about to finish it', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const [earlier, later] = [device.uplink({ fPort: 5 }), device.uplink({ fPort: 5 })];
    await rig.hear(later, { gatewayID: near });
    await rig.clock.advance(50);
    await rig.hear(earlier, { gatewayID: far }, other);
    await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.equal(rig.counts.get('uplinks_told_for_others'), 0);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('tell late what came into the journal after a later one was told', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const goOn = rig.holdNextReceipt();
    const waiting = rig.hear(device.uplink({ fPort: 5 }), { gatewayID: far }, other);
    await rig.exchange(device.uplink({ fPort: 5 }));
    goOn();
    await waiting;
    await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 2, 1],
    );
    const next = await rig.exchange(device.uplink({ fPort: 5, confirmed: true }));
    assert.notEqual(next, null);
    assert.deepEqual([errorsOf(rig), await rig.unfinished(), (await rig.session())?.missed], [[], [], []]);
  });

  it('ask for earlier uplinks only where a counter is missing', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const asked = () => rig.counts.get('reads unfinishedBeginning') ?? 0;
    const before = asked();
    for (const by of [other, rig.server, other]) {
      await rig.hear(device.uplink({ fPort: 5 }), {}, by);
      await rig.clock.advance(1000);
    }
    assert.equal(asked() - before, 0);
    device.uplink({ fPort: 5 });
    await rig.exchange(device.uplink({ fPort: 5 }));
    assert.equal(asked() - before, 1);
  });

  it('tell each of a hundred uplinks of one device that somebody had in hand who died', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    await leave(rig, device, other, 100);
    await rig.exchange(device.uplink({ fPort: 5 }));
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      Array.from({ length: 102 }, (_, fCnt) => fCnt),
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished(), (await rig.session())?.missed], [[], [], []]);
  });

  for (const joins of [1, 2])
    it(`tell first what the dead left of a session that ${joins} more join${joins === 1 ? ' ends' : 's end'}`, async () => {
      const { rig, device, other } = await createPair();
      await rig.exchange(device.uplink({ fPort: 5 }));
      const joinAnew = async () => {
        const accept = await rig.exchange(device.joinRequest());
        assert.equal(device.receive(accept!.items[0]!.phyPayload)?.kind, 'joined');
      };
      if (joins === 2) await joinAnew();
      const left = device.uplink({ fPort: 5 });
      await rig.hear(left, { gatewayID: far }, other);
      await rig.hear(left, { gatewayID: near }, other);
      other.die();
      await joinAnew();
      await rig.exchange(device.uplink({ fPort: 5 }));
      for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
      assert.deepEqual(upsOf(rig), [
        { fCnt: 0, rx: [near] },
        { fCnt: joins === 1 ? 1 : 0, rx: [near, far] },
        { fCnt: 0, rx: [near] },
      ]);
      assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
    });

  it('tell first what the dead left of two sessions that one more join ends both', async () => {
    const { rig, device, other } = await createPair();
    const joinAnew = async () => {
      const accept = await rig.exchange(device.joinRequest());
      assert.equal(device.receive(accept!.items[0]!.phyPayload)?.kind, 'joined');
    };
    await rig.exchange(device.uplink({ fPort: 5 }));
    await leave(rig, device, other, 1);
    await joinAnew();
    await leave(rig, device, await rig.companion(), 2);
    await joinAnew();
    await rig.exchange(device.uplink({ fPort: 5 }));
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 0, 1, 0],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  for (const skipFCntCheck of [false, true])
    it(`tell no copy again that is found after later uplinks${skipFCntCheck ? ', of a device that need not count' : ''}`, async () => {
      const { rig, device, other, copies } = await createPair({ device: { skipFCntCheck } });
      copies.isAway = true;
      const uplink = device.uplink({ fPort: 5 });
      await rig.hear(uplink, { gatewayID: far }, other);
      await rig.hear(uplink, { gatewayID: near });
      other.die();
      for (let later = 0; later < 2; later += 1) {
        await rig.clock.advance(500);
        await rig.hear(device.uplink({ fPort: 5 }), { gatewayID: near });
      }
      for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
      assert.deepEqual(
        upsOf(rig).map(({ fCnt }) => fCnt),
        [0, 1, 2],
      );
      assert.deepEqual([errorsOf(rig), await rig.unfinished(), (await rig.session())?.fCntUp], [[], [], 3]);
    });

  it('tell no copy again that waited for its place in the journal meanwhile', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    const uplink = device.uplink({ fPort: 5 });
    const goOn = rig.holdNextReceipt();
    const waiting = rig.hear(uplink, { gatewayID: far }, other);
    await rig.hear(uplink, { gatewayID: near });
    for (let later = 0; later < 2; later += 1) {
      await rig.clock.advance(1500);
      await rig.hear(device.uplink({ fPort: 5 }), { gatewayID: near });
    }
    await rig.clock.advance(1500);
    goOn();
    await waiting;
    await rig.clock.advance(3000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('take for no mistake of its device what one reads that stood still meanwhile', async () => {
    const { rig, device, other, copies } = await createPair();
    other.standStill();
    const uplinks = [];
    for (let nth = 0; nth < 3; nth += 1) {
      const uplink = device.uplink({ fPort: 5 });
      uplinks.push(uplink);
      await rig.hear(uplink, { gatewayID: near });
      await rig.clock.advance(2000);
    }
    copies.isAway = true;
    for (const uplink of uplinks) await rig.hear(uplink, { gatewayID: far }, other);
    other.wake();
    await rig.clock.advance(3000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
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

  /** The near gateway pulls at a process that turns out to be gone, once somebody sends to it. */
  function losePath(rig: Rig) {
    const lost: GatewayPath = {
      link: 'semtech-udp',
      isProven: false,
      send(_frame, unsent) {
        void rig.clock.after(100, () => {
          rig.gateways.close(near, lost);
          unsent?.();
        });
        return true;
      },
    };
    rig.openPath(lost);
  }

  async function heardByBoth(rig: Rig, uplink: Transmission) {
    await rig.hear(uplink, { gatewayID: near, snr: 9 });
    await rig.hear(uplink, { gatewayID: far, snr: -19 });
  }

  it('answer through the next gateway when the process that has the best one is gone', async () => {
    const { rig, device } = await createPair();
    const sent = rig.sent.length;
    losePath(rig);
    await heardByBoth(rig, device.uplink({ fPort: 5, confirmed: true }));
    await rig.clock.advance(500);
    assert.deepEqual(
      rig.sent.slice(sent).map(({ gatewayID }) => gatewayID.toHex()),
      [far],
    );
  });

  it('let a device join through the next gateway', async () => {
    const { rig, device } = await createPair();
    const sent = rig.sent.length;
    losePath(rig);
    await heardByBoth(rig, device.joinRequest());
    await rig.clock.advance(500);
    const [accept] = rig.sent.slice(sent);
    assert.equal(accept?.gatewayID.toHex(), far);
    assert.equal(device.receive(accept.items[0]!.phyPayload).kind, 'joined');
  });

  it('send to a listening device through the next gateway, and the same once more', async () => {
    const { rig, device } = await createPair({ deviceProfile: { supportsClassC: true, classCTimeout: 10 } });
    await heardByBoth(rig, device.uplink({ fPort: 1 }));
    await rig.clock.advance(10_000);
    const sent = rig.sent.length;
    losePath(rig);
    const fCnt = await rig.enqueue('down');
    await rig.clock.advance(3000);
    const [frame] = rig.sent.slice(sent);
    assert.equal(frame?.gatewayID.toHex(), far);
    const decoded = decodeFrame(frame.items[0]!.phyPayload);
    assert.equal('fCnt' in decoded && decoded.fCnt, fCnt);
  });
});
