import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrame } from '@hilltop/lorawan';
import type { Device, Transmission } from '@hilltop/simulator';
import type { GatewayPath } from '../gateways/paths.ts';
import { createFakeCopies } from '../testing/fake-copies.ts';
import { createRig, devEUI, gatewayIDs, type Rig, type RigOptions } from '../testing/rig.ts';

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
  rig.application.calls.flatMap((call) =>
    call.event === 'up' ? [{ fCnt: call.fCnt, rx: [...(call.rx ?? [])].sort() }] : [],
  );
/** Receives so many uplinks, and ends before it processes them. */
async function leave(rig: Rig, device: Device, dying: Companion, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1)
    await rig.receiveFrame(device.uplink({ fPort: 5 }), { gatewayID: far }, dying);
  dying.die();
}

const errorsOf = (rig: Rig) => rig.application.calls.filter(({ event }) => event === 'error');

describe('a missed counter above 16 bits', () => {
  async function missFirst() {
    const copies = createFakeCopies();
    const rig = await createRig({ copies: () => copies.side() });
    const device = await rig.activated({ fCntUp: 70_000 });
    await rig.exchange(device.uplink({ fPort: 5 }));
    const missed = device.uplink({ fPort: 5 });
    for (let nth = 0; nth < 20; nth += 1) {
      await rig.receiveFrame(device.uplink({ fPort: 5 }));
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
    await rig.receiveFrame(device.uplink({ fPort: 5 }));
    await rig.clock.advance(1000);
    assert.deepEqual(rig.events().slice(-2), ['up 70001', 'up 70023']);
  });
});

describe('several processes on one state', () => {
  it('create one event from the copies that each of them received, with all receptions', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: near });
    await rig.clock.advance(50);
    await rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.clock.advance(3000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near, far] }]);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('process an uplink that one receives after another handled the next one as late', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: near });
    await rig.clock.advance(250);
    await rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.clock.advance(3000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near] }]);
    assert.equal(rig.counts.get('uplink_copies_late'), 1);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('finish late copies and show them, although the process that should do so ends', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.clock.advance(199);
    other.die();
    await rig.clock.advance(10);
    const before = rig.counts.get('reads sessionsByDevAddr') ?? 0;
    await rig.receiveFrame(uplink, { gatewayID: near });
    await rig.clock.advance(300);
    assert.equal((await rig.unfinished()).length, 1, 'the copy of the one that died');
    assert.equal((rig.counts.get('reads sessionsByDevAddr') ?? 0) - before, 0, 'nobody had to look whose it is');
    await rig.clock.advance(5000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [far] }]);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('create one event when the owner is unknown and each processes its copies', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    for (const confirmed of [false, true]) {
      const before = rig.sent.length;
      const uplink = device.uplink({ fPort: 5, confirmed });
      await rig.receiveFrame(uplink, { gatewayID: near });
      await rig.receiveFrame(uplink, { gatewayID: far }, other);
      await rig.clock.advance(3000);
      assert.equal(rig.sent.length - before, Number(confirmed), 'answered once');
    }
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('process one after the other when the owner is unknown, so that later ones find the uplink done', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    const uplink = device.uplink({ fPort: 5 });
    const before = rig.counts.get('reads sessionsByDevAddr') ?? 0;
    const looks = () => (rig.counts.get('reads sessionsByDevAddr') ?? 0) - before;
    await rig.receiveFrame(uplink, { gatewayID: near });
    await rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.clock.advance(250);
    assert.deepEqual([looks(), upsOf(rig).length], [1, 1]);
    await rig.clock.advance(2750);
    assert.deepEqual([looks(), upsOf(rig).length, rig.counts.get('uplinks_dropped late-copy')], [2, 1, 1]);
  });

  it('take over what an ended process was processing, and give it up only once', async () => {
    const { rig, device, other } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.clock.advance(50);
    await rig.receiveFrame(uplink, { gatewayID: near });
    other.die();
    await rig.clock.advance(5000);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near, far] }]);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('take over from a missed process at once, and nothing else', async () => {
    const { rig, device, other, copies } = await createPair();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.receiveFrame(uplink, { gatewayID: near });
    await rig.clock.advance(100);
    other.die();
    await rig.clock.advance(150);
    copies.miss(1);
    await rig.clock.advance(200);
    assert.deepEqual(upsOf(rig), [{ fCnt: 0, rx: [near, far] }]);
    await rig.clock.advance(5000);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('take over one after the other, so that later ones find the uplink done', async () => {
    const { rig, device, other, copies } = await createPair();
    const third = await rig.companion();
    const uplink = device.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.receiveFrame(uplink, { gatewayID: near });
    await rig.receiveFrame(uplink, { gatewayID: near }, third);
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

  it('process uplinks of an ended process before later ones, and answer the last', async () => {
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

  it('process the uplinks of one device that several ended processes left in order, whichever takes over', async () => {
    const { rig, device, other } = await createPair();
    const another = await rig.companion();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const later = device.uplink({ fPort: 5 });
    const latest = device.uplink({ fPort: 5 });
    await rig.receiveFrame(latest, { gatewayID: far }, another);
    await rig.receiveFrame(later, { gatewayID: far }, other);
    for (const one of [other, another]) one.die();
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('are not delayed by incomplete frames with the address of a device', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const cut = device.uplink({ fPort: 5 });
    for (const length of [5, 6, 7, 8, 9])
      await rig.receiveFrame({ ...cut, phyPayload: cut.phyPayload.subarray(0, length) }, { gatewayID: far }, other);
    other.die();
    await rig.exchange(device.uplink({ fPort: 5 }));
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 2],
    );
  });

  it('leave an earlier uplink to the process that is about to finish it', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const [earlier, later] = [device.uplink({ fPort: 5 }), device.uplink({ fPort: 5 })];
    await rig.receiveFrame(later, { gatewayID: near });
    await rig.clock.advance(50);
    await rig.receiveFrame(earlier, { gatewayID: far }, other);
    await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.equal(rig.counts.get('uplinks_told_for_others'), 0);
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('process an uplink late that was journalled after a later one was processed', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const goOn = rig.holdNextReceipt();
    const waiting = rig.receiveFrame(device.uplink({ fPort: 5 }), { gatewayID: far }, other);
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

  it('search for earlier uplinks only where a counter is missing', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    const asked = () => rig.counts.get('reads unfinishedBeginning') ?? 0;
    const before = asked();
    for (const by of [other, rig.server, other]) {
      await rig.receiveFrame(device.uplink({ fPort: 5 }), {}, by);
      await rig.clock.advance(1000);
    }
    assert.equal(asked() - before, 0);
    device.uplink({ fPort: 5 });
    await rig.exchange(device.uplink({ fPort: 5 }));
    assert.equal(asked() - before, 1);
  });

  it('process each of a hundred uplinks of one device that an ended process left', async () => {
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
    it(`process first what an ended process left of a session that ${joins} more join${joins === 1 ? ' ends' : 's end'}`, async () => {
      const { rig, device, other } = await createPair();
      await rig.exchange(device.uplink({ fPort: 5 }));
      const joinAnew = async () => {
        const accept = await rig.exchange(device.joinRequest());
        assert.equal(device.receive(accept!.items[0]!.phyPayload)?.kind, 'joined');
      };
      if (joins === 2) await joinAnew();
      const left = device.uplink({ fPort: 5 });
      await rig.receiveFrame(left, { gatewayID: far }, other);
      await rig.receiveFrame(left, { gatewayID: near }, other);
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

  it('process first what ended processes left of two sessions that one more join ends both', async () => {
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

  it('process first what an ended process left of the current session when the device uses the replaced one', async () => {
    const { rig, device, other } = await createPair();
    await rig.exchange(device.uplink({ fPort: 5 }));
    await leave(rig, device, other, 1);
    const accept = await rig.exchange(device.joinRequest());
    assert.equal(device.receive(accept!.items[0]!.phyPayload)?.kind, 'joined');
    assert.ok(await rig.exchange(rig.device({ devNonce: 500 }).joinRequest()));
    const used = device.uplink({ fPort: 5, confirmed: true });
    assert.ok(await rig.exchange(used), 'it is answered in time');
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 0],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('process first what an ended process left of the session that one more join removes', async () => {
    const { rig, device, other } = await createPair();
    const joinAnew = async () => {
      const accept = await rig.exchange(device.joinRequest());
      assert.equal(device.receive(accept!.items[0]!.phyPayload)?.kind, 'joined');
    };
    await rig.exchange(device.uplink({ fPort: 5 }));
    await joinAnew();
    await leave(rig, device, other, 1);
    for (let join = 0; join < 2; join++) await joinAnew();
    const { current, pending, replaced } = await rig.state.sessions(devEUI);
    assert.deepEqual([upsOf(rig).length, current?.fCntUp], [2, 1]);
    assert.ok(pending && replaced);
    await rig.exchange(device.uplink({ fPort: 5 }));
    for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 0, 0],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  for (const skipFCntCheck of [false, true])
    it(`process no copy twice that is found after later uplinks${skipFCntCheck ? ', of a device without counter check' : ''}`, async () => {
      const { rig, device, other, copies } = await createPair({ device: { skipFCntCheck } });
      copies.isAway = true;
      const uplink = device.uplink({ fPort: 5 });
      await rig.receiveFrame(uplink, { gatewayID: far }, other);
      await rig.receiveFrame(uplink, { gatewayID: near });
      other.die();
      for (let later = 0; later < 2; later += 1) {
        await rig.clock.advance(500);
        await rig.receiveFrame(device.uplink({ fPort: 5 }), { gatewayID: near });
      }
      for (let seconds = 0; seconds < 5; seconds++) await rig.clock.advance(1000);
      assert.deepEqual(
        upsOf(rig).map(({ fCnt }) => fCnt),
        [0, 1, 2],
      );
      assert.deepEqual([errorsOf(rig), await rig.unfinished(), (await rig.session())?.fCntUp], [[], [], 3]);
    });

  it('process no copy twice that waited for its place in the journal meanwhile', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    const uplink = device.uplink({ fPort: 5 });
    const goOn = rig.holdNextReceipt();
    const waiting = rig.receiveFrame(uplink, { gatewayID: far }, other);
    await rig.receiveFrame(uplink, { gatewayID: near });
    for (let later = 0; later < 2; later += 1) {
      await rig.clock.advance(1500);
      await rig.receiveFrame(device.uplink({ fPort: 5 }), { gatewayID: near });
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

  it('report no error for an uplink that a paused process reads late', async () => {
    const { rig, device, other, copies } = await createPair();
    other.standStill();
    const uplinks = [];
    for (let nth = 0; nth < 3; nth += 1) {
      const uplink = device.uplink({ fPort: 5 });
      uplinks.push(uplink);
      await rig.receiveFrame(uplink, { gatewayID: near });
      await rig.clock.advance(2000);
    }
    copies.isAway = true;
    for (const uplink of uplinks) await rig.receiveFrame(uplink, { gatewayID: far }, other);
    other.wake();
    await rig.clock.advance(3000);
    assert.deepEqual(
      upsOf(rig).map(({ fCnt }) => fCnt),
      [0, 1, 2],
    );
    assert.deepEqual([errorsOf(rig), await rig.unfinished()], [[], []]);
  });

  it('create one session from one join-request', async () => {
    const { rig, device, other, copies } = await createPair();
    copies.isAway = true;
    const before = rig.sent.length;
    const request = device.joinRequest();
    await rig.receiveFrame(request, { gatewayID: near });
    await rig.receiveFrame(request, { gatewayID: far }, other);
    await rig.clock.advance(3000);
    assert.equal(rig.sent.length - before, 1);
    assert.deepEqual(await rig.unfinished(), []);
  });

  /** The nearer gateway pulls at a process that turns out to have ended when a peer sends to it. */
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

  async function receivedByBoth(rig: Rig, uplink: Transmission) {
    await rig.receiveFrame(uplink, { gatewayID: near, snr: 9 });
    await rig.receiveFrame(uplink, { gatewayID: far, snr: -19 });
  }

  it('answer through the next gateway when the process with the best one has ended', async () => {
    const { rig, device } = await createPair();
    const sent = rig.sent.length;
    losePath(rig);
    await receivedByBoth(rig, device.uplink({ fPort: 5, confirmed: true }));
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
    await receivedByBoth(rig, device.joinRequest());
    await rig.clock.advance(500);
    const [accept] = rig.sent.slice(sent);
    assert.equal(accept?.gatewayID.toHex(), far);
    assert.equal(device.receive(accept.items[0]!.phyPayload).kind, 'joined');
  });

  it('send to a class C device through the next gateway, as the same frame', async () => {
    const { rig, device } = await createPair({ deviceProfile: { supportsClassC: true, classCTimeout: 10 } });
    await receivedByBoth(rig, device.uplink({ fPort: 1 }));
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
