import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import { seededRandom } from '@hilltop/simulator';

/** The address of a client: a port of this machine, with TLS when options are given. */
export interface CutTarget {
  port: number;
  tls?: ConnectionOptions;
}

const atOnce = 100;

type Talk = (proxyPort: number) => Promise<unknown>;

/** Records what a client sends to a port: `talk` is called with the port of a proxy in between. */
export const record = async (port: number, talk: Talk): Promise<Buffer> => (await recordBoth(port, talk)).sent;

/** Records the answer of a server. */
export const recordAnswer = async (port: number, talk: Talk): Promise<Buffer> =>
  (await recordBoth(port, talk)).answered;

async function recordBoth(port: number, talk: Talk): Promise<{ sent: Buffer; answered: Buffer }> {
  const [sent, answered]: [Buffer[], Buffer[]] = [[], []];
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    sockets.push(client, server);
    client.on('data', (bytes: Buffer) => sent.push(bytes));
    server.on('data', (bytes: Buffer) => answered.push(bytes));
    client.pipe(server).pipe(client);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('The conversation takes longer than 5 s.')), 5_000);
  await Promise.race([talk((proxy.address() as AddressInfo).port), late.promise]);
  clearTimeout(timer);
  for (const socket of sockets) socket.destroy();
  proxy.close();
  return { sent: Buffer.concat(sent), answered: Buffer.concat(answered) };
}

type Ending = 'FIN' | 'RST';

/** Each connection has another source address, because servers limit connections per address. */
let lastAddress = 1;
function nextAddress(): string {
  lastAddress += 1;
  return `127.${1 + ((lastAddress >> 16) & 0x7f)}.${(lastAddress >> 8) & 0xff}.${lastAddress & 0xff}`;
}

/** Sends the bytes, waits for none, part or all of the answer, and ends the connection. */
async function send(target: CutTarget, bytes: Uint8Array, ending: Ending, waitTurns: number): Promise<void> {
  const socket = connect({ port: target.port, host: '127.0.0.1', localAddress: nextAddress() });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const stream = target.tls ? connectSecurely({ socket, ...target.tls }) : socket;
  stream.on('error', () => socket.destroy()).resume();
  const opened = once(stream, target.tls ? 'secureConnect' : 'connect').catch(() => undefined);
  await Promise.race([opened, closed]);
  if (bytes.length > 0) stream.write(bytes);
  for (let turn = 0; turn < waitTurns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  if (ending === 'RST') socket.resetAndDestroy();
  else {
    stream.end();
    // A server may keep a half-closed connection for long; the client does not wait for its end.
    const timeout = setTimeout(() => socket.destroy(), 30);
    await closed;
    clearTimeout(timeout);
  }
  await closed;
}

async function inParallel(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const queue = tasks.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const task of queue) await task();
    }),
  );
}

/** Iterations of the event loop before the end: usually none, sometimes so many that the server has answered. */
const someTurns = (random: () => number) => Math.floor(random() ** 3 * 30);

/** Ends the conversation after each of its bytes (or each `step` bytes), once by FIN and once by RST. */
export async function cutEverywhere(target: CutTarget, bytes: Buffer, { seed = 1, step = 1 } = {}): Promise<void> {
  const random = seededRandom(seed);
  const tasks: (() => Promise<void>)[] = [];
  for (let end = 0; end <= bytes.length; end += step)
    for (const ending of ['RST', 'FIN'] as const) {
      const turns = someTurns(random);
      tasks.push(() => send(target, bytes.subarray(0, end), ending, turns));
    }
  await inParallel(tasks);
}

/** A copy with up to four changed bytes, sometimes with a part removed or repeated. */
export function mutated(bytes: Buffer, random: () => number): Buffer {
  const pick = (most: number) => Math.floor(random() * most);
  let copy = Buffer.from(bytes);
  for (let change = 1 + pick(4); change > 0 && copy.length > 0; change -= 1) copy[pick(copy.length)] = pick(256);
  const [from, length] = [pick(copy.length), 1 + pick(16)];
  const [before, piece, after] = [
    copy.subarray(0, from),
    copy.subarray(from, from + length),
    copy.subarray(from + length),
  ];
  const kind = pick(6);
  if (kind === 0) copy = Buffer.concat([before, after]);
  if (kind === 1) copy = Buffer.concat([before, piece, piece, after]);
  return copy;
}

/** Sends `rounds` changed copies of the conversation. */
export async function sendMutated(target: CutTarget, bytes: Buffer, { seed = 2, rounds = 300 } = {}): Promise<void> {
  const random = seededRandom(seed);
  await inParallel(
    Array.from({ length: rounds }, () => {
      const changed = mutated(bytes, random);
      const ending: Ending = random() < 0.5 ? 'RST' : 'FIN';
      const turns = someTurns(random);
      return () => send(target, changed, ending, turns);
    }),
  );
}

/** Sends each datagram cut after each of its bytes, and `rounds` changed copies of it. */
export async function sendBrokenDatagrams(
  port: number,
  datagrams: readonly Buffer[],
  { seed = 3, rounds = 300 } = {},
): Promise<void> {
  const random = seededRandom(seed);
  const socket = createSocket('udp4');
  const sendOne = (bytes: Buffer) =>
    new Promise<void>((resolve) => socket.send(bytes, port, '127.0.0.1', () => resolve()));
  for (const datagram of datagrams) {
    for (let end = 0; end <= datagram.length; end += 1) await sendOne(datagram.subarray(0, end));
    for (let round = 0; round < rounds; round += 1) await sendOne(mutated(datagram, random));
  }
  socket.close();
}

/**
 * Calls `call` with the port of a server that sends these bytes, cut after each of them and ended by FIN or RST, and
 * `rounds` times changed bytes. Rejections of `call` are ignored.
 */
export async function answerBroken(
  bytes: Buffer,
  call: (port: number) => Promise<unknown>,
  { seed = 4, rounds = 200, step = 1 } = {},
): Promise<void> {
  const random = seededRandom(seed);
  const answers: { answer: Buffer; ending: Ending }[] = [];
  for (let end = 0; end <= bytes.length; end += step)
    for (const ending of ['RST', 'FIN'] as const) answers.push({ answer: bytes.subarray(0, end), ending });
  for (let round = 0; round < rounds; round += 1)
    answers.push({ answer: mutated(bytes, random), ending: random() < 0.5 ? 'RST' : 'FIN' });
  await inParallel(
    answers.map(
      ({ answer, ending }) =>
        () =>
          answerOnce(answer, ending, call),
    ),
  );
}

async function answerOnce(answer: Buffer, ending: Ending, call: (port: number) => Promise<unknown>): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(answer, () => setImmediate(() => (ending === 'RST' ? socket.resetAndDestroy() : socket.end())));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await call((server.address() as AddressInfo).port).catch(() => undefined);
  server.close();
}
