import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Open websockets; each receives the events of one device. */
export interface EventSockets extends Disposable {
  /** Called with the number of the device, the text frame and the time at which it was read. */
  onEvent: (device: number, text: string, at: number) => void;
  /** Whether all connections are still open. */
  areOpen: () => boolean;
}

interface Options {
  url: string;
  token: string;
  /** One path per device. */
  paths: readonly string[];
  onEvent: EventSockets['onEvent'];
}

const openedTogether = 50;

/**
 * Opens one websocket per path on plain TCP sockets, because a full client would use more processor time than the server
 * it measures. Rejects when the server refuses a connection.
 */
export async function openEventSockets({ url, token, paths, onEvent }: Options): Promise<EventSockets> {
  const { hostname, port, host, origin } = new URL(url);
  const sockets: Socket[] = [];
  const all: EventSockets = {
    onEvent,
    areOpen: () => sockets.every(({ destroyed }) => !destroyed),
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
    },
  };

  async function open(device: number): Promise<void> {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    sockets.push(socket);
    socket.write(
      `GET ${paths[device]} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: Bearer, ${token}\r\n\r\n`,
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0 || !answer.subarray(0, 12).equals(switching))
      throw new Error(`The websocket was refused: ${answer.toString('latin1', 0, 200)}`);
    const take = readFrames(socket, (text) => all.onEvent(device, text, performance.now()));
    socket.on('data', take);
    socket.on('error', () => {});
    take(answer.subarray(end + 4));
  }

  for (let first = 0; first < paths.length; first += openedTogether) {
    const some = paths.slice(first, first + openedTogether);
    await Promise.all(some.map((_, offset) => open(first + offset)));
  }
  return all;
}

const key = Buffer.alloc(16, 1).toString('base64');
const switching = Buffer.from('HTTP/1.1 101');
const [textFrame, pingFrame] = [0x81, 0x89];
const emptyPong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/** Reads the part of RFC 6455 §5.2 that a server uses: unfragmented, unmasked text frames and pings. */
function readFrames(socket: Socket, onText: (text: string) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (let frame = frameAt(rest); frame; frame = frameAt(rest)) {
      if (rest[0] === textFrame) onText(rest.toString('utf8', frame.start, frame.end));
      if (rest[0] === pingFrame) socket.write(emptyPong);
      rest = rest.subarray(frame.end);
    }
  };
}

function frameAt(bytes: Buffer): { start: number; end: number } | null {
  if (bytes.length < 2) return null;
  const short = bytes[1]! & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return null;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return bytes.length < start + length ? null : { start, end: start + length };
}
