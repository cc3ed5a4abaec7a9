import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGatewayConnection } from './gateway-connection.ts';

const gatewayID = '0a0b0c0d0e0f1011';
const message = { payload: Buffer.alloc(9), qos: 0, messageID: undefined, isDuplicate: false } as const;

it('the broker stops reading from a gateway while too many of its messages are being processed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const bridge = { take: () => promise, gone: () => undefined };
  const connection = createGatewayConnection(
    { bridge, count: () => undefined },
    {
      proof: { certificate: undefined, clientID: 'c', username: gatewayID, password: 'key' },
      rights: { scope: 'gateway', gatewayID, by: '1' },
      receiver: { version: 4, mostUnacknowledged: 1000, mostPacketBytes: Number.POSITIVE_INFINITY },
    },
    new PassThrough(),
  );
  let read = 0;
  const reading = (async () => {
    for (; read < 1000; read += 1) await connection.publish({ ...message, topic: `gateway/${gatewayID}/event/up` });
  })();
  for (let turn = 0; turn < 2000; turn += 1) await nextTurn();
  assert.equal(read, 255);
  resolve();
  await reading;
});
