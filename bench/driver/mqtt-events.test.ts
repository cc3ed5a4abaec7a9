import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { it } from 'node:test';
import { openMqttEvents } from './mqtt-events.ts';

const [accepted, subscribed] = [Buffer.from([0x20, 2, 0, 0]), Buffer.from([0x90, 3, 0, 1, 0])];
const devEUIs = ['ab00000000000000', 'ab00000000000001'];

/** A broker that answers each packet with the next of these bytes. */
async function openBroker(...answers: readonly Buffer[]) {
  const sockets: Socket[] = [];
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let turn = 0;
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes);
      const answer = answers[turn++];
      if (answer) socket.write(answer);
    });
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    received,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function message(topic: string, payload: string): Buffer {
  const length = topic.length + payload.length + 2;
  const head = [0x30, (length & 0x7f) | 0x80, length >> 7, 0, topic.length];
  return Buffer.concat([Buffer.from(head), Buffer.from(topic), Buffer.from(payload)]);
}

it('tells device and frame counter of each event, however the stream is cut', async () => {
  await using broker = await openBroker(accepted, subscribed);
  using events = await openMqttEvents(`mqtt://user:p%40ss@${broker.host}`, devEUIs);
  assert.ok(broker.received[0]!.toString('latin1').endsWith('\0\x04user\0\x04p@ss'));
  assert.ok(broker.received[1]!.toString('latin1').endsWith('application/+/device/+/event/up\0'));

  const seen: number[][] = [];
  const all = Promise.withResolvers<void>();
  events.onUplink = (device, fCnt) => {
    seen.push([device, fCnt]);
    if (seen.length === 3) all.resolve();
  };
  const padding = `"tags":{"site":"${'x'.repeat(200)}"},`;
  const stream = Buffer.concat([
    message('application/1/device/ab00000000000001/event/up', `{${padding}"fCnt":70000,"fPort":10}`),
    message('application/1/device/ffffffffffffffff/event/up', `{${padding}"fCnt":1}`),
    Buffer.from([0xd0, 0]),
    message('application/2/device/ab00000000000000/event/up', `{${padding}"fCnt": 0}`),
    message('application/2/device/ab00000000000000/event/up', `{${padding}"fCnt":1}`),
  ]);
  broker.sockets[0]!.setNoDelay(true);
  for (const byte of stream) {
    broker.sockets[0]!.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  await all.promise;
  assert.deepEqual(seen, [
    [1, 70000],
    [0, 0],
    [0, 1],
  ]);
  events.assertOpen();
});

it('says which credentials or rights are missing', async () => {
  await using refusing = await openBroker(Buffer.from([0x20, 2, 0, 5]));
  const asks = /refuses the connection \(code 5\)\. Name the user and the password in --mqtt/;
  await assert.rejects(openMqttEvents(`mqtt://user:secret@${refusing.host}`, devEUIs), (error: Error) => {
    assert.match(error.message, asks);
    assert.ok(!error.message.includes('secret'));
    return true;
  });
  await using narrow = await openBroker(accepted, Buffer.from([0x90, 3, 0, 1, 0x80]));
  await assert.rejects(openMqttEvents(`mqtt://${narrow.host}`, devEUIs), /refuses the subscription to application/);
});

it('says that the broker is not reachable or has closed the connection', async () => {
  const gone = await openBroker();
  await gone[Symbol.asyncDispose]();
  await assert.rejects(
    openMqttEvents(`mqtt://${gone.host}`, devEUIs),
    /is not reachable: .*ECONNREFUSED.* Check --mqtt\.$/,
  );

  await using broker = await openBroker(accepted, subscribed);
  using events = await openMqttEvents(`mqtt://${broker.host}`, devEUIs);
  const [accepting] = broker.sockets;
  accepting!.destroy();
  await once(accepting!, 'close');
  while (isOpen(events)) await new Promise(setImmediate);
  assert.throws(() => events.assertOpen(), /closed the connection\.$/);
});

function isOpen({ assertOpen }: { assertOpen: () => void }): boolean {
  try {
    assertOpen();
    return true;
  } catch {
    return false;
  }
}
