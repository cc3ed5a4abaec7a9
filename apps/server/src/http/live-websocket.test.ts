import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it, mock } from 'node:test';
import { unauthenticated } from '@hilltop/contract';
import { socketOutlet } from './live-websocket.ts';

/** A socket whose client reads as much as the test says. */
function slowSocket() {
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    sent: [] as string[],
    send: (text: string) => {
      socket.sent.push(text);
      socket.bufferedAmount += text.length;
    },
    close: () => socket.emit('close'),
    terminate: () => socket.emit('close'),
    ping: () => {},
  });
  return socket;
}

describe('a client that reads too slowly', () => {
  it('misses items, uses a limited buffer, and continues when it has caught up', () => {
    const socket = slowSocket();
    const outlet = socketOutlet(socket as never, { isForeign: false });
    const item = { text: 'x'.repeat(10_000) };
    const outcomes = Array.from({ length: 1000 }, () => outlet.send(item));
    assert.ok(outcomes.includes(false));
    assert.ok(socket.bufferedAmount < 2 << 20);
    socket.bufferedAmount = 0;
    assert.equal(outlet.send(item), true);
    outlet.end(unauthenticated());
    assert.match(socket.sent.at(-1)!, /"grpcCode":16/);
  });

  it('is sent nothing after it has disconnected', () => {
    const socket = slowSocket();
    const outlet = socketOutlet(socket as never, { isForeign: false });
    let gone = false;
    outlet.onGone(() => (gone = true));
    socket.readyState = 3;
    socket.emit('close');
    assert.ok(gone);
    assert.equal(outlet.send({}), false);
    assert.deepEqual(socket.sent, []);
  });
});

describe('a client that may have disconnected', () => {
  it('is pinged every 30 s, and disconnected when it does not answer once', () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const [alive, gone] = [slowSocket(), slowSocket()];
      const left: unknown[] = [];
      for (const socket of [alive, gone])
        socketOutlet(socket as never, { isForeign: false }).onGone(() => left.push(socket));
      alive.ping = () => void alive.emit('pong');
      for (let minutes = 0; minutes < 60; minutes += 0.5) mock.timers.tick(30_000);
      assert.deepEqual(left, [gone]);
    } finally {
      mock.timers.reset();
    }
  });
});
