import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** An HTTP server that receives the events of an integration. */
export interface Sink extends AsyncDisposable {
  url: string;
  /** The events that arrived, with their first time and count. */
  arrived: Map<string, { at: number; times: number; device: string; fCnt: number }>;
  /** Number of unanswered requests. */
  open: () => number;
  /** Sets how requests are answered, except those for which it returns false. Undefined: 200 at once. */
  answer: (how: AnotherWay | undefined) => void;
  /** Answers 200 after this time. */
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
