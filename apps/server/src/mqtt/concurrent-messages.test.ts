import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'mqtt';
import { needsMosquitto, startMosquitto } from '../testing/mosquitto.ts';
import { connectMQTT } from '../testing/mqtt.ts';
import { processConcurrently } from './concurrent-messages.ts';

describe('processing many messages at once', needsMosquitto, () => {
  it('does not wait for the previous message, and lets the broker resend unprocessed ones', async () => {
    await using mosquitto = await startMosquitto();
    const client = connect(mosquitto.url, { clientId: 'taker', clean: false, protocolVersion: 4, reconnectPeriod: 20 });
    const taken: string[] = [];
    const open = Promise.withResolvers<void>();
    let refusals = 1;
    processConcurrently(client, 3, async ({ payload }) => {
      taken.push(payload.toString());
      await open.promise;
      if (payload.toString() === 'b' && refusals-- > 0) throw new Error('no room');
    });
    try {
      await new Promise<void>((resolve) => client.once('connect', () => resolve()));
      await client.subscribeAsync('t', { qos: 1 });
      await using other = await connectMQTT(mosquitto.url);
      for (const letter of ['a', 'b', 'c', 'd']) await other.client.publishAsync('t', letter, { qos: 1 });
      while (taken.length < 3) await delay(10);
      await delay(50);
      assert.deepEqual(taken, ['a', 'b', 'c'], 'while none is done, three and no fourth');
      open.resolve();
      // The second was refused: the broker resends it, and those after it that could not be acknowledged.
      while (!taken.includes('d') || taken.filter((letter) => letter === 'b').length < 2) await delay(10);
      assert.equal(taken.filter((letter) => letter === 'a').length, 1);
    } finally {
      await client.endAsync(true);
    }
  });
});
