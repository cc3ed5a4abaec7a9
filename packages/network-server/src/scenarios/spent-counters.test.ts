import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrame } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { type Device, seededRandom } from '@hilltop/simulator';
import { contentsByCounter } from '../testing/kills.ts';
import { createRig, devEUI, type Fate, type Rig, understood } from '../testing/rig.ts';

const runs = 25;
const steps = 60;
const extraChannels = [1, 3, 5].map((step) => ({ frequency: 867_000_000 + step * 100_000, minDR: 0, maxDR: 5 }));

/** A gateway that may not answer, and a device that may not receive. */
async function passOn(rig: Rig, device: Device, frame: gw.DownlinkFrame, chance: () => number): Promise<void> {
  const words: (gw.TxAckStatus[] | null)[] = [null, ['OK'], ['TOO_LATE', 'OK'], ['TOO_LATE', 'COLLISION_PACKET']];
  const word = words[Math.floor(chance() * words.length)]!;
  const received = frame.items[word ? word.indexOf('OK') : Math.floor(chance() * frame.items.length)];
  if (received && chance() < 0.7) device.receive(received.phyPayload);
  if (!word) return;
  const ack = frame.items.map((_, item) => word[item] ?? 'OK');
  if (!(await rig.survives(rig.acknowledge(frame, ...ack)))) await rig.restart();
}

/** A device of an application that queues and flushes, with a server that is killed again and again. */
async function live(macVersion: string, seed: number): Promise<Rig> {
  const random = seededRandom(seed);
  const rig = await createRig({ macVersion, settings: { extraChannels } });
  const device = await rig.joined({ random });
  await rig.exchange(device.uplink({ fPort: 1 }));
  rig.decideFates((): Fate => {
    const lot = random();
    if (lot < 0.04) return 'dies before';
    return lot < 0.08 ? 'dies after' : 'lives';
  });
  const does = async (work: Promise<unknown>) => {
    if (!(await rig.survives(work))) await rig.restart();
  };
  for (let step = 0; step < steps; step++) {
    const lot = random();
    if (lot < 0.4) await does(rig.enqueue(`item ${step} of ${seed}`, { confirmed: random() < 0.4 }));
    else if (lot < 0.45) await does(rig.flush());
    else {
      if (random() < 0.3) device.ask('LinkCheckReq');
      const before = rig.sent.length;
      await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: random() < 0.5 }));
      await rig.clock.advance(400);
      if (rig.isDead()) await rig.restart();
      for (const frame of rig.sent.slice(before)) await passOn(rig, device, frame, random);
    }
  }
  return rig;
}

/** The device's next uplink, and the frame that answers it; its gateway sends no TX acknowledgement. */
async function answered(rig: Rig, device: Device, message: Parameters<Device['uplink']>[0] = {}) {
  const before = rig.sent.length;
  await rig.receiveFrame(device.uplink({ fPort: 1, ...message }));
  await rig.clock.advance(400);
  return rig.sent[before] ?? null;
}

describe('a downlink counter', () => {
  it('is used up before the frame is at the gateway', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('secret one');
    await answered(rig, device);
    const session = await rig.session();
    assert.equal(session?.nFCntDown, 1);
    assert.match(session?.spent.nFCntDown?.digest ?? '', /^[0-9a-f]{32}$/);
  });

  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`is not used again after a lost TX_ACK and a flush (${macVersion})`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      const first = await rig.enqueue('secret one');
      await answered(rig, device);
      await rig.flush();
      const second = await rig.enqueue('secret two');
      assert.deepEqual(
        [first, second],
        [0, 1].map((step) => first + step),
      );
      const received = understood(device, await answered(rig, device));
      assert.equal(received && 'text' in received && received.text, 'secret two');
    });

    it(`is a new one for an item whose TX_ACK was lost, and the item is sent again (${macVersion})`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      await rig.enqueue('one');
      await rig.enqueue('two');
      const [lost, again] = [await answered(rig, device), await answered(rig, device)];
      assert.notDeepEqual(lost?.items[0]?.phyPayload, again?.items[0]?.phyPayload);
      const texts = [lost, again]
        .map((frame) => understood(device, frame))
        .map((received) => received && 'text' in received && received.text);
      assert.deepEqual(texts, ['one', 'one']);
      if (again) await rig.acknowledge(again);
      const received = understood(device, await answered(rig, device));
      assert.equal(received && 'text' in received && received.text, 'two');
    });

    it(`is accepted in the acknowledgement of a device whose gateway did not answer (${macVersion})`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      const fCnt = await rig.enqueue('sure?', { confirmed: true });
      understood(device, await answered(rig, device));
      assert.equal(await answered(rig, device), null);
      assert.deepEqual(await rig.state.queue(devEUI), []);
      assert.deepEqual(
        rig.events().filter((event) => event.startsWith('ack')),
        [`ack ${fCnt} true`],
      );
    });
  }

  it('of a second window with another content is another one', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('x'.repeat(100));
    const frame = await answered(rig, device, { confirmed: true });
    assert.equal(frame?.items.length, 2);
    assert.deepEqual(
      frame?.items.map(({ phyPayload }) => decodeFrame(phyPayload)).map((sent) => 'fCnt' in sent && sent.fCnt),
      [0, 1],
    );
    if (frame) await rig.acknowledge(frame, 'TOO_LATE', 'OK');
    assert.deepEqual(understood(device, frame, 1), {
      fPort: null,
      text: '',
      acknowledged: true,
      confirmed: false,
      fPending: true,
      commands: [],
    });
    const received = understood(device, await answered(rig, device));
    assert.equal(received && 'text' in received && received.text, 'x'.repeat(100));
  });

  it('is not reported twice when the gateway answers late', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.enqueue('sure?', { confirmed: true });
    const first = await answered(rig, device);
    const second = await answered(rig, device);
    assert.ok(first && second);
    await rig.acknowledge(first);
    assert.equal((await rig.state.queue(devEUI))[0]?.isPending, false);
    await rig.acknowledge(second);
    assert.equal((await rig.state.queue(devEUI))[0]?.isPending, true);
  });

  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`never has two contents, whatever ends or is lost (${macVersion})`, async () => {
      let [used, twice] = [0, 0];
      for (let seed = 1; seed <= runs; seed++) {
        const contents = contentsByCounter((await live(macVersion, seed)).sent, macVersion);
        used += contents.size;
        twice += [...contents.values()].filter(({ size }) => size > 1).length;
      }
      assert.ok(used > 250, `only ${used} downlinks left`);
      assert.equal(twice, 0, `${twice} of ${used} counters had two contents`);
    });
  }
});
