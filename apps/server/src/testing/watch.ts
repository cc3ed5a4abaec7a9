import { WebSocket } from 'ws';

/** A stream over a websocket, item by item. */
export interface TestWatch<Item = LiveItem> extends AsyncDisposable {
  /** The next message as received. Rejects when the socket closes instead or none comes within `ms`. */
  next: (ms?: number) => Promise<StreamMessage<Item>>;
  /** Resolves when the server has closed the socket. */
  closed: Promise<void>;
}

/** An item of the streams of events and frames. */
interface LiveItem {
  type: string;
  payloadJSON: string;
  publishedAt: string;
  streamID: string;
  uplinkFrame?: { phyPayloadJSON: string; rxInfo: { gatewayID: string }[] };
  downlinkFrame?: { phyPayloadJSON: string; gatewayID: string };
}

export interface StreamMessage<Item = LiveItem> {
  result?: Item;
  error?: { grpcCode: number; httpCode: number; message: string; httpStatus: string };
}

/** Opens `path` as a websocket with the token as sub-protocol, like the console. */
export async function watch<Item = LiveItem>(
  url: string,
  path: string,
  token: string | null,
  headers: Record<string, string> = {},
): Promise<TestWatch<Item>> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, token === null ? [] : ['Bearer', token], { headers });
  const messages: StreamMessage<Item>[] = [];
  let waiting: ((message: StreamMessage<Item>) => void) | undefined;
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as StreamMessage<Item>;
    if (waiting) waiting(message);
    else messages.push(message);
    waiting = undefined;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return {
    closed,
    next: (ms = 60_000) => {
      const first = messages.shift();
      if (first) return Promise.resolve(first);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`No message within ${ms} ms.`)), ms);
        waiting = (message) => {
          clearTimeout(timer);
          resolve(message);
        };
        void closed.then(() => reject(new Error('The socket was closed.')));
      });
    },
    [Symbol.asyncDispose]: async () => {
      socket.terminate();
      await closed;
    },
  };
}
