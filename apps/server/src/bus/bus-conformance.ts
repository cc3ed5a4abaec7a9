import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { DeviceEvent } from '../event-log/event.ts';
import { storedEvent } from '../testing/event.ts';
import type { Bus } from './bus.ts';

const devEUI = '0102030405060708';
const event = (streamID: string) => storedEvent(devEUI, streamID);

/** Listens to the events of a key; `full` resolves with event number `until`. */
async function collectFrom(bus: Bus, key: string, until: number) {
  const received: string[] = [];
  const full = Promise.withResolvers<void>();
  const stop = await bus.subscribe('device-event', key, ({ id }) => {
    if (received.push(id.replace(`${devEUI}-`, '')) === until) full.resolve();
  });
  return { received, stop, full: full.promise };
}

/** Tests that each bus must pass; each adapter runs them with a new bus. */
export function busConformance(name: string, open: (onError: (error: unknown) => void) => Promise<Bus>) {
  describe(`bus: ${name}`, () => {
    let bus: Bus;
    let errors: unknown[];
    beforeEach(async () => {
      errors = [];
      bus = await open((error) => errors.push(error));
    });
    afterEach(() => bus.close());

    const collect = (key: string, until: number) => collectFrom(bus, key, until);

    it('delivers messages in order to every listener of the key', async () => {
      const [one, two] = [await collect('a', 3), await collect('a', 3)];
      for (const id of ['1-0', '2-0', '3-0']) bus.publish('device-event', 'a', event(id));
      await Promise.all([one.full, two.full]);
      assert.deepEqual(
        [one.received, two.received],
        [
          ['1-0', '2-0', '3-0'],
          ['1-0', '2-0', '3-0'],
        ],
      );
    });

    it('separates keys and topics', async () => {
      const a = await collect('a', 1);
      const b = await collect('b', 1);
      bus.publish('access-changed', 'a', { userID: 'a' });
      bus.publish('device-event', 'b', event('1-0'));
      await b.full;
      bus.publish('device-event', 'a', event('2-0'));
      await a.full;
      assert.deepEqual([a.received, b.received], [['2-0'], ['1-0']]);
    });

    it('calls no listener after it unsubscribed', async () => {
      const stopped = await collect('a', 1);
      const other = await collect('a', 1);
      stopped.stop();
      bus.publish('device-event', 'a', event('1-0'));
      await other.full;
      assert.deepEqual(stopped.received, []);
    });

    it('calls the other listeners when one fails', async () => {
      await bus.subscribe('device-event', 'a', () => {
        throw new Error('listener failed');
      });
      const other = await collect('a', 1);
      bus.publish('device-event', 'a', event('1-0'));
      await other.full;
      assert.equal((errors[0] as Error).message, 'listener failed');
    });

    it('has called every listener when changes are confirmed', async () => {
      const received: string[] = [];
      await bus.subscribe('access-changed', 'a', ({ userID }) => received.push(userID));
      for (const userID of ['1', '2', '3']) {
        const before = bus.changeCount();
        bus.publish('access-changed', 'a', { userID });
        await bus.confirmed(before);
        assert.equal(received.at(-1), userID);
      }
      assert.equal(
        bus.confirmed(bus.changeCount()),
        undefined,
        'no change was published: there is nothing to wait for',
      );
    });

    it('delivers payloads unchanged', async () => {
      const received = Promise.withResolvers<DeviceEvent>();
      await bus.subscribe('device-event', 'a', received.resolve);
      const sent = storedEvent(devEUI, '1-7', 300);
      bus.publish('device-event', 'a', sent);
      const { json, ...rest } = await received.promise;
      const { json: sentJson, ...sentRest } = sent;
      assert.deepEqual(rest, sentRest);
      assert.equal(json(), sentJson());
    });
  });
}
