import type { WebSocket } from '@fastify/websocket';
import { streamErrorBody } from '@hilltop/contract';
import type { Outlet } from './live-stream.ts';

const pingEveryMs = 30_000;
const mostBuffered = 1 << 20;

/**
 * A stream over a websocket: one text message per item. A client that reads too slowly misses items, and never delays
 * others.
 */
export function socketOutlet(socket: WebSocket, { isForeign }: { isForeign: boolean }): Outlet {
  let isAlive = true;
  const ping = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingEveryMs);
  socket.on('pong', () => (isAlive = true));
  socket.on('close', () => clearInterval(ping));
  socket.on('error', () => socket.terminate());
  return {
    isForeign,
    send: (result) => {
      if (socket.readyState !== socket.OPEN || socket.bufferedAmount > mostBuffered) return false;
      socket.send(JSON.stringify({ result }));
      return true;
    },
    end: (error) => {
      if (error && socket.readyState === socket.OPEN) socket.send(JSON.stringify(streamErrorBody(error)));
      socket.close();
    },
    onGone: (gone) => socket.on('close', gone),
  };
}
