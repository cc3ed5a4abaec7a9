import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { connectionLimits, limitConnections } from './connection-limits.ts';
import { fileLimitWarning, readFileLimit } from './file-limit.ts';

describe('connections', () => {
  let server: Server;
  let refused = 0;
  const sockets: Socket[] = [];
  before(async () => {
    server = createServer((socket) => void (socket.destroyed || socket.on('error', () => {}).write('hello')));
    server.listen(0, '0.0.0.0');
    const isProxy = (address: string) => address === '127.0.0.9';
    limitConnections(server, { all: 8, perAddress: 2 }, { isProxy, onRefused: () => (refused += 1) });
    await once(server, 'listening');
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** Whether the server accepts a connection from this address. */
  async function isHeard(localAddress: string): Promise<boolean> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    sockets.push(socket);
    const outcome = Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
    return outcome;
  }

  it('are limited by address, and those of a trusted proxy only in total', async () => {
    assert.deepEqual([await isHeard('127.0.0.2'), await isHeard('127.0.0.2')], [true, true]);
    assert.equal(await isHeard('127.0.0.2'), false);
    assert.equal(refused, 1);
    assert.equal(await isHeard('127.0.0.3'), true);
    for (let n = 0; n < 5; n++) assert.equal(await isHeard('127.0.0.9'), true);
    assert.equal(await isHeard('127.0.0.4'), false);
    assert.equal(refused, 2);
  });

  it('do not count after they are closed', async () => {
    const before = server.listenerCount('connection');
    for (const socket of sockets.splice(0)) socket.destroy();
    while ((await new Promise<number>((done) => server.getConnections((_, count) => done(count)))) > 0)
      await new Promise(setImmediate);
    for (let n = 0; n < 2; n++) assert.equal(await isHeard('127.0.0.2'), true);
    assert.equal(server.listenerCount('connection'), before);
  });
});

describe('the limit of open files', () => {
  it('is read, and causes a warning when low', () => {
    assert.ok(readFileLimit() > 0);
    assert.match(fileLimitWarning(1024)!, /only 1024 files.*ulimit -n/);
    assert.equal(fileLimitWarning(4096), undefined);
    assert.equal(fileLimitWarning(Infinity), undefined);
  });

  it('reserves some files for the server, and gives no address all of the rest', () => {
    assert.deepEqual(connectionLimits(1024), { all: 768, perAddress: 192 });
    assert.deepEqual(connectionLimits(100), { all: 64, perAddress: 16 });
    assert.deepEqual(connectionLimits(1_048_576), { all: 100_000, perAddress: 4096 });
    assert.deepEqual(connectionLimits(Infinity), { all: 100_000, perAddress: 4096 });
  });
});
