import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Somebody's server that events are delivered to. */
export interface Sink extends AsyncDisposable {
  url: string;
  /** What arrived, each with the time and how often. */
  arrived: Map<string, { at: number; times: number; device: string; fCnt: number }>;
  /** Requests it has not answered. */
  open: () => number;
  /** Another way to answer, but to requests for which it says false; undefined: at once and well. */
  answer: (how: AnotherWay | undefined) => void;
  /** Takes so long to answer well. */
  takeTime: (ms: number) => void;
}

type AnotherWay = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function openSink(onEvent: (device: string, fCnt: number, at: number) => void = () => {}): Promise<Sink> {
  const arrived: Sink['arrived'] = new Map();
  const sockets = new Set<Socket>();
  let how: AnotherWay | undefined;
  let open = 0;
  let answerMs = 0;

  function note(id: string, body: string): void {
    const device = id.slice(0, 16);
    const fCnt = Number(/"fCnt":(\d+)/.exec(body)?.[1]);
    const known = arrived.get(id);
    if (known) known.times += 1;
    else arrived.set(id, { at: performance.now(), times: 1, device, fCnt });
    if (!known) onEvent(device, fCnt, performance.now());
  }

  const server = createServer((request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (how && how(request, response) !== false) return;
      note(String(request.headers['webhook-id']), Buffer.concat(parts).toString());
      if (answerMs === 0) response.end();
      else setTimeout(() => response.end(), answerMs);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    arrived,
    open: () => open,
    answer: (next) => {
      how = next;
    },
    takeTime: (ms) => {
      answerMs = ms;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
