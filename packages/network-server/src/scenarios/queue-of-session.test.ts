import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Device } from '@hilltop/simulator';
import { createRig, devEUI, type Rig, understood } from '../testing/rig.ts';

/** A device with a session in use that joins again; `receives` decides whether it receives the join-accept. */
async function rejoin(rig: Rig, device: Device, { receives = true } = {}): Promise<void> {
  const accept = await rig.exchange(device.joinRequest());
  if (receives) device.receive(accept?.items[0]?.phyPayload ?? new Uint8Array());
}

const textsOf = async (rig: Rig, device: Device, uplinks: number): Promise<string[]> => {
  const texts: string[] = [];
  for (let uplink = 0; uplink < uplinks; uplink++) {
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 })));
    if (received && 'text' in received && received.text !== '') texts.push(received.text);
  }
  return texts;
};

for (const macVersion of ['1.0.3', '1.1.0']) {
  describe(`the queue of a ${macVersion} device that joins for the first time`, () => {
    it('is sent after the first uplink', async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await rig.enqueue('one');
      await rig.enqueue('two');
      assert.deepEqual(await textsOf(rig, device, 3), ['one', 'two']);
      assert.ok(rig.events().every((event) => /^(up|txack) /.test(event)));
    });

    it('moves to the session of a second join when the first join-accept was not received', async () => {
      const rig = await createRig({ macVersion });
      const device = rig.device();
      await rig.exchange(device.joinRequest());
      await rig.enqueue('before the second join');
      await rejoin(rig, device);
      await rig.enqueue('after the second join');
      assert.deepEqual(await textsOf(rig, device, 3), ['before the second join', 'after the second join']);
    });
  });

  describe(`the queue of a ${macVersion} device that joins again`, () => {
    const inUse = async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await rig.exchange(device.uplink({ fPort: 1 }));
      return { rig, device };
    };

    it('is dropped with the session it was encrypted for', async () => {
      const { rig, device } = await inUse();
      await rig.enqueue('old');
      await rejoin(rig, device);
      await textsOf(rig, device, 1);
      assert.deepEqual(await rig.state.queue(devEUI), []);
      assert.deepEqual(await textsOf(rig, device, 2), []);
      assert.ok(rig.events().every((event) => event.startsWith('up ')));
    });

    it('moves to the new one if it was queued after the join-accept', async () => {
      const { rig, device } = await inUse();
      await rig.enqueue('old');
      await rejoin(rig, device);
      await rig.enqueue('new one');
      await rig.enqueue('new two', { confirmed: true });
      assert.deepEqual(await textsOf(rig, device, 4), ['new one', 'new two']);
      assert.deepEqual(
        rig.events().filter((event) => event.startsWith('ack')),
        ['ack 1 true'],
      );
    });

    it('is sent in the old session while the device uses it', async () => {
      const { rig, device } = await inUse();
      await rejoin(rig, device, { receives: false });
      await rig.enqueue('to whom it concerns');
      assert.deepEqual(await textsOf(rig, device, 3), ['to whom it concerns']);
    });

    it('is dropped when the application cannot encrypt it again', async () => {
      const { rig, device } = await inUse();
      await rejoin(rig, device);
      await rig.enqueue('new');
      rig.application.refuse('Internal');
      await rig.exchange(device.uplink({ fPort: 1 }));
      assert.deepEqual(await rig.state.queue(devEUI), []);
      rig.application.accept();
      assert.deepEqual(await textsOf(rig, device, 3), []);
    });

    it('contains nothing that was queued for the old session while it ended', async () => {
      const { rig, device } = await inUse();
      await rig.enqueue('late');
      const [late] = await rig.state.queue(devEUI);
      await rejoin(rig, device);
      await textsOf(rig, device, 1);
      assert.ok(late);
      await rig.state.commit({ writes: [{ kind: 'insertQueueItem', item: late }], effects: [] });
      const { totalCount } = await rig.server.service.getDeviceQueueItemsForDevEUI({
        devEui: Uint8Array.fromHex(devEUI),
        countOnly: true,
      });
      assert.equal(totalCount, 0);
      assert.deepEqual(await textsOf(rig, device, 1), []);
      assert.equal(rig.events().at(-1), 'error DEVICE_QUEUE_ITEM_FCNT the session it was queued for is over');
      assert.deepEqual(await rig.state.queue(devEUI), []);
    });
  });
}
