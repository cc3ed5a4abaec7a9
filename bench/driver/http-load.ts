import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pace } from './pace.ts';
import { type Spread, spreadOf } from './spread.ts';

export interface Call {
  method: string;
  path: string;
  body?: unknown;
}

export interface Load {
  url: string;
  token: string;
  /** Number of open connections, each with one call at a time. */
  connections: number;
  /** Ends the run after this time, after this number of turns, or after the first of both. */
  seconds?: number;
  turns?: number;
  /** Pause of each connection after a turn; none when not given. */
  restMs?: number;
  /** The calls of one turn, which are made one after the other. */
  callsOf: (turn: number) => readonly Call[];
}

export interface LoadResult {
  turns: number;
  perSecond: number;
  /** Duration of a turn in ms. */
  time: Spread;
  /** Number of failed calls, and the first failed response as text. */
  failures: number;
  firstFailure: string;
}

/** Repeats HTTP calls on open connections. Uses plain sockets, so that the driver needs little processor time. */
export async function loadHTTP(load: Load): Promise<LoadResult> {
  const { seconds = Number.POSITIVE_INFINITY, turns = Number.POSITIVE_INFINITY, restMs = 0, callsOf } = load;
  const began = performance.now();
  const times: number[] = [];
  let [next, failures, firstFailure] = [0, 0, ''];

  async function work(): Promise<void> {
    using connection = openConnection(load);
    while (next < turns && performance.now() - began < seconds * 1000) {
      const from = performance.now();
      for (const call of callsOf(next++)) {
        const { status, text } = await connection.ask(call);
        if (status >= 200 && status < 300) continue;
        failures += 1;
        firstFailure ||= `${call.method} ${call.path}: ${status} ${text.slice(0, 200)}`;
      }
      times.push(performance.now() - from);
      if (restMs > 0) await delay(restMs);
    }
  }

  await Promise.all(Array.from({ length: load.connections }, work));
  const perSecond = Math.round((times.length / (performance.now() - began)) * 10_000) / 10;
  return { turns: times.length, perSecond, time: spreadOf(times), failures, firstFailure };
}

/**
 * Makes calls at an even rate on open connections, whether or not earlier ones are answered. The duration of a turn counts
 * from when it was due, so a server that stops for a moment delays all turns that were due then.
 */
export async function loadEvenly({
  perSecond,
  seconds,
  connections,
  callsOf,
  ...server
}: Omit<Load, 'seconds' | 'turns' | 'restMs'> & { perSecond: number; seconds: number }): Promise<LoadResult> {
  using open = openConnections(server, connections);
  const count = perSecond * seconds;
  const times: number[] = [];
  let [failures, firstFailure] = [0, ''];
  const began = performance.now();
  const take = async (turn: number) => {
    for (const call of callsOf(turn)) {
      const { status, text } = await open.ask(call).catch(({ message }: Error) => ({ status: 0, text: message }));
      if (status >= 200 && status < 300) continue;
      failures += 1;
      firstFailure ||= `${call.method} ${call.path}: ${status} ${text.slice(0, 200)}`;
    }
    times.push(performance.now() - began - (turn / perSecond) * 1000);
  };
  const turns: Promise<void>[] = [];
  await pace(perSecond, count, (turn) => turns.push(take(turn)));
  await Promise.all(turns);
  const rate = Math.round((count / (performance.now() - began)) * 10_000) / 10;
  return { turns: count, perSecond: rate, time: spreadOf(times), failures, firstFailure };
}

type CallAnswer = { status: number; text: string };

interface Connection extends Disposable {
  ask: (call: Call) => Promise<CallAnswer>;
}

/** Makes calls on these open connections; a call waits while all of them are in use. */
export function openConnections(server: Pick<Load, 'url' | 'token'>, count: number): Connection {
  const all = Array.from({ length: count }, () => openConnection(server));
  const free = [...all];
  const waiting: ((connection: Connection) => void)[] = [];
  return {
    ask: async (call) => {
      const connection = free.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
      const answer = await connection.ask(call);
      const next = waiting.shift();
      if (next) next(connection);
      else free.push(connection);
      return answer;
    },
    [Symbol.dispose]: () => {
      for (const connection of all) connection[Symbol.dispose]();
    },
  };
}

/** The server closes a connection that is idle for long: the next call opens another. */
function openConnection({ url, token }: Pick<Load, 'url' | 'token'>): Connection {
  const { hostname, port, host } = new URL(url);
  let answered = Promise.withResolvers<CallAnswer>();
  let received: Buffer = Buffer.alloc(0);
  let socket = connectNow();

  function connectNow(): Socket {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true });
    opened.on('data', read);
    opened.on('error', (error) => answered.reject(error));
    opened.on('close', () => answered.reject(new Error('The server closed a connection.')));
    answered.promise.catch(() => {});
    return opened;
  }

  function read(bytes: Buffer): void {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
    if (length === undefined) return answered.reject(new Error(`An answer without a length:\n${head}`));
    const bodyEnd = end + 4 + Number(length);
    if (received.length < bodyEnd) return;
    const text = received.toString('utf8', end + 4, bodyEnd);
    received = received.subarray(bodyEnd);
    answered.resolve({ status: Number(head.slice(9, 12)), text });
  }

  return {
    ask: ({ method, path, body }) => {
      answered = Promise.withResolvers();
      if (socket.readyState === 'closed' || socket.readyState === 'readOnly') socket = connectNow();
      const text = body === undefined ? '' : JSON.stringify(body);
      const length = text === '' ? '' : `Content-Length: ${Buffer.byteLength(text)}\r\n`;
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nGrpc-Metadata-Authorization: Bearer ${token}\r\n${length}\r\n${text}`,
      );
      return answered.promise;
    },
    [Symbol.dispose]: () => {
      answered.promise.catch(() => {});
      socket.destroy();
    },
  };
}
