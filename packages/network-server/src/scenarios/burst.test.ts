import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRig, understood } from '../testing/rig.ts';

/** A class A device listens after its last uplink only, so earlier ones are not answered any more. */
const bursts = [
  { title: 'all at once', uplinks: 300, everyMs: 0, answered: 1 },
  { title: 'one each millisecond', uplinks: 1200, everyMs: 1, answered: 1 },
  { title: 'each before the answer to the one before', uplinks: 40, everyMs: 90, answered: 1 },
  { title: 'each after the answer to the one before', uplinks: 5, everyMs: 1000, answered: 5 },
] as const;

/** After this many uplinks ADR has a request. */
const adrHistory = 20;

describe('consecutive uplinks of one device', () => {
  for (const confirmed of [false, true])
    for (const { title, uplinks, everyMs, answered } of bursts)
      it(`${confirmed ? 'confirmed' : 'unconfirmed'}, ${title}: only the newest is answered`, async () => {
        const rig = await createRig();
        const device = await rig.joined({ adr: true });
        for (let first = 0; first < adrHistory; first += 1) await rig.exchange(device.uplink({ fPort: 1 }));
        const before = rig.sent.length;
        for (let sent = 0; sent < uplinks; sent += 1) {
          // As if it had not received the requests of the network.
          await rig.receiveFrame(
            rig.sameDeviceAt(device, sent + adrHistory, { adr: true }).uplink({ fPort: 1, confirmed }),
          );
          await rig.clock.advance(everyMs);
        }
        await rig.clock.advance(1000);
        const frames = rig.sent.slice(before);
        assert.equal(frames.length, answered);
        for (const frame of frames) await rig.acknowledge(frame);
        assert.equal(rig.events().filter((event) => event.startsWith('up ')).length, uplinks + adrHistory);
        assert.deepEqual(
          ['downlinks_contended', 'uplinks_contended'].map((name) => rig.counts.get(name)),
          [undefined, undefined],
        );
        const received = understood(device, frames.at(-1)!);
        assert.ok(received && 'commands' in received);
        assert.deepEqual([received.acknowledged, received.commands], [confirmed, ['LinkADRReq']]);
      });

  it('acknowledges the downlink that was sent, although uplinks keep arriving', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: true }));
    await rig.clock.advance(400);
    const [frame] = rig.sent.slice(-1);
    assert.ok(frame);
    for (let more = 0; more < 20; more += 1) await rig.receiveFrame(device.uplink({ fPort: 1 }));
    rig.slowDown();
    await rig.clock.advance(200);
    await rig.acknowledge(frame);
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    assert.equal(rig.counts.get('uplinks'), 23);
    assert.equal((await rig.session())?.nFCntDown, 1);
    assert.equal(rig.counts.get('uplinks_contended'), undefined);
  });
});
