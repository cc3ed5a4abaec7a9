import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { storedEvent } from '../testing/event.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

describe('a client that connects and sends nothing', { concurrency: true }, () => {
  let app: TestApp;
  const sockets: Socket[] = [];
  before(async () => {
    app = await startTestApp('sqlite', {
      grpc: '127.0.0.1:0',
      basicsStation: '127.0.0.1:0',
      joinServer: '127.0.0.1:0',
    });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await app[Symbol.asyncDispose]();
  });

  async function open(port: number, text: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').resume();
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }
  const httpPort = () => Number(new URL(app.url).port);
  const soon = { timeout: 25_000 };

  for (const [name, text] of [
    ['nothing', ''],
    ['half a head', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['half the preface of HTTP/2', 'PR'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an HTTP/2 connection without a call', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
    ['half the headers of a call', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x40\x01\0\0\0\0\x01'],
  ] as const)
    it(`is disconnected by HTTP after ${name}`, soon, async () => {
      await once(await open(httpPort(), text), 'close');
    });

  it('is disconnected by gRPC', soon, async () => {
    await once(await open(app.grpcPort, ''), 'close');
  });

  for (const [name, port] of [
    ['stations', () => app.stationPort],
    ['the join-server', () => app.joinServerPort],
  ] as const)
    for (const text of ['', 'GET / HTTP/1.1\r\nHost: x\r\n'])
      it(`is disconnected by the port of ${name} after ${text === '' ? 'nothing' : 'half a head'}`, soon, async () => {
        await once(await open(port(), text), 'close');
        const metrics = await (await app.fetch('/metrics')).text();
        const protocol = name === 'stations' ? 'basics_station' : 'join_server';
        const isCounted = new RegExp(
          `hilltop_connection_errors_total\\{protocol="${protocol}",cause="silent"\\} [1-9]`,
        ).test(metrics);
        assert.ok(isCounted);
      });

  it('stays connected by a WebSocket', soon, async () => {
    const devEUI = await createDevice(app, await createSurroundings(app));
    await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
    await once(await open(httpPort(), ''), 'close');
    app.parts.bus.publish('device-event', devEUI, storedEvent(devEUI, '1-1'));
    assert.equal((await events.next()).result?.streamID, '1-1');
  });
});
