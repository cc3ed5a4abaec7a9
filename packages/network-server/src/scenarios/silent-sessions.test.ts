import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInMemoryState } from '../state/in-memory.ts';
import type { Unit } from '../state/state.ts';
import { createRig, devEUI, type Rig, type RigOptions } from '../testing/rig.ts';

const netID = '000013';
const hour = 3_600_000;
const day = 24 * hour;

/** A device that has joined and sent one uplink, in a network whose sessions end after two days of silence. */
async function receivedOnce(options: RigOptions = {}) {
  const rig = await createRig({ settings: { deviceSessionDays: 2 }, ...options });
  const device = await rig.joined();
  await rig.exchange(device.uplink({ fPort: 1 }));
  return { rig, device };
}

const ended = (rig: Rig) => rig.counts.get('silent_sessions_ended') ?? 0;

describe('a session', () => {
  it('ends with its queue when its device was silent for the configured time, and it can join again', async () => {
    const { rig, device } = await receivedOnce();
    await rig.enqueue('never heard');
    await rig.clock.advance(2 * day - hour);
    assert.deepEqual([(await rig.session())?.fCntUp, ended(rig)], [1, 0]);
    await rig.clock.advance(8 * hour);
    assert.deepEqual([await rig.session(), await rig.state.queue(devEUI), ended(rig)], [null, [], 1]);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(rig.counts.get('uplinks_dropped unknown-device'), 1);
    const accept = await rig.exchange(device.joinRequest());
    assert.equal(device.receive(accept!.items[0]!.phyPayload).kind, 'joined');
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(rig.events().at(-1), 'up 0');
  });

  it('continues while its device is received or gets downlinks', async () => {
    const received = await receivedOnce();
    const reached = await receivedOnce({ deviceProfile: { supportsClassC: true } });
    for (let days = 0; days < 6; days++) {
      await received.rig.clock.advance(day);
      await received.rig.exchange(received.device.uplink({ fPort: 1 }));
      await reached.rig.clock.advance(day);
      await reached.rig.enqueue('light on');
      await reached.rig.clock.advance(1000);
      await reached.rig.acknowledge(reached.rig.sent.at(-1)!);
    }
    assert.deepEqual([ended(received.rig), ended(reached.rig)], [0, 0]);
    await reached.rig.clock.advance(3 * day);
    assert.equal(ended(reached.rig), 1);
  });

  it('never ends when the setting is 0', async () => {
    const { rig } = await receivedOnce({ settings: { deviceSessionDays: 0 } });
    await rig.clock.advance(400 * day);
    assert.ok(await rig.session());
  });

  it('follows a setting that changes while the server runs', async () => {
    const { rig } = await receivedOnce({ settings: {} });
    await rig.clock.advance(10 * day);
    assert.ok(await rig.session());
    rig.server.configure({ netID, settings: { deviceSessionDays: 7 } });
    await rig.clock.advance(7 * hour);
    assert.equal(await rig.session(), null);
  });

  it('does not end earlier when a clock is set forward', async () => {
    const { rig, device } = await receivedOnce();
    rig.clock.set(400 * day);
    await rig.clock.advance(day);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.equal(rig.events().at(-1), 'up 1');
  });

  it('continues when its device has joined again and was not received yet', async () => {
    const { rig, device } = await receivedOnce();
    await rig.clock.advance(2 * day - 7 * hour);
    const accept = await rig.exchange(device.joinRequest());
    await rig.clock.advance(day);
    assert.equal(device.receive(accept!.items[0]!.phyPayload).kind, 'joined');
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual([rig.events().at(-1), ended(rig)], ['up 0', 0]);
  });

  it('of an earlier version, without the time of the last uplink, counts from now on', async () => {
    const { rig } = await receivedOnce();
    const session = (await rig.session())!;
    const writes = [{ kind: 'saveSession', session: { ...session, lastUplinkAt: null } } as const];
    await rig.state.commit({ writes, effects: [] });
    await rig.clock.advance(3 * day);
    assert.ok((await rig.session())?.lastUplinkAt);
    await rig.clock.advance(3 * day);
    assert.equal(await rig.session(), null);
  });

  it('that is used at that moment does not end', async () => {
    let isMoment = false;
    const state = createInMemoryState({ apply: () => undefined });
    const openState = () => ({
      ...state,
      async commit(unit: Unit) {
        const { current } = await state.sessions(devEUI);
        if (unit.writes.some(({ kind }) => kind === 'deleteSessions') && current) {
          isMoment = true;
          await state.commit({ writes: [{ kind: 'saveSession', session: current }], effects: [] });
        }
        return await state.commit(unit);
      },
    });
    const { rig } = await receivedOnce({ openState });
    await rig.clock.advance(2 * day + 6 * hour);
    assert.deepEqual([isMoment, (await rig.session())?.fCntUp, ended(rig)], [true, 1, 0]);
  });

  it('ends among thousands, a few at a time', async () => {
    const { rig } = await receivedOnce();
    const session = (await rig.session())!;
    for (let nth = 0; nth < 450; nth++) {
      const other = { ...session, id: `s${nth}`, devEUI: nth.toString(16).padStart(16, '0'), revision: 0 };
      const at = nth % 2 === 0 ? session.activatedAt : session.activatedAt + 100 * day;
      const writes = [{ kind: 'insertSession', session: { ...other, activatedAt: at, lastUplinkAt: at } } as const];
      await rig.state.commit({ writes, effects: [] });
    }
    await rig.clock.advance(2 * day + 7 * hour);
    assert.equal(ended(rig), 226);
    assert.equal((await rig.state.sessionsAfter('', 1000)).length, 225);
  });

  it('is counted in advance among those that another setting would end', async () => {
    const { rig } = await receivedOnce({ settings: {} });
    const endings = async (deviceSessionDays: number) =>
      (await rig.server.effectsOf({ netID, settings: { deviceSessionDays } })).endingSessions;
    await rig.clock.advance(5 * day);
    assert.deepEqual([await endings(4), await endings(6), await endings(0)], [1, 0, 0]);
  });
});
