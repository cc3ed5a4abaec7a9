import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { WebSocketServer } from 'ws';
import { freePort } from '../free-port.ts';
import { startStation } from './station.ts';

const gatewayID = '0102030405060708';

describe('a simulated station', () => {
  it('tries again while nothing listens at the address of its server', async () => {
    const station = startStation({ server: `ws://127.0.0.1:${await freePort()}`, gatewayID, reconnectMs: 5 });
    while (station.counts.refused < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    await station.stop();
  });

  it('stops while its connection is not open yet', async () => {
    const connected = Promise.withResolvers<Socket>();
    const silent = createServer((socket) => connected.resolve(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const router = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(router, 'listening');
    router.on('connection', (socket) =>
      socket.on('message', () => {
        socket.send(JSON.stringify({ uri: `ws://127.0.0.1:${port}/` }));
        socket.close();
      }),
    );
    const station = startStation({ server: `ws://127.0.0.1:${(router.address() as AddressInfo).port}`, gatewayID });
    const socket = await connected.promise;
    await station.stop();
    socket.destroy();
    silent.close();
    router.close();
    assert.equal(station.counts.connected, 0);
  });
});
