/** Reads `up` events from an MQTT broker with little processor time: as much of MQTT 3.1.1 as a subscriber needs. */
import { connect, type Socket } from 'node:net';
import { connect as connectTLS } from 'node:tls';
import type { UplinkEvents } from './uplink-run.ts';

const answerMs = 10_000;
const keepAliveSeconds = 60;
const filter = 'application/+/device/+/event/up';
const topicEnd = '/event/up'.length;
const euiDigits = 16;

/** `name`: how errors name the broker, without its password. */
const nameOf = ({ protocol, host }: URL) => `the MQTT broker ${protocol}//${host}`;

/** Subscribes with QoS 0. Rejects with a sentence for the user when the broker cannot be reached or refuses. */
export async function openMqttEvents(address: string, devEUIs: readonly string[]): Promise<UplinkEvents> {
  const url = new URL(address);
  const deviceOf = new Map(devEUIs.map((devEUI, device) => [devEUI.toLowerCase(), device]));
  let failure: Error | undefined;
  const accepted = Promise.withResolvers<void>();
  const fail = (text: string) => {
    failure ??= new Error(text);
    accepted.reject(failure);
  };
  const socket = socketTo(url);
  const events: UplinkEvents = {
    onUplink: () => {},
    assertOpen: () => {
      if (failure) throw failure;
    },
    [Symbol.dispose]: () => {
      clearInterval(pinging);
      clearTimeout(patience);
      socket.destroy();
    },
  };
  const pinging = setInterval(() => socket.write(Buffer.from([pingReq, 0])), (keepAliveSeconds * 1000) / 2);
  const patience = setTimeout(() => fail(`No answer from ${nameOf(url)} within 10 s.`), answerMs);

  const packets: Record<number, (bytes: Buffer, start: number, end: number) => void> = {
    [connAck]: (bytes, start) => {
      const code = bytes[start + 1]!;
      if (code === 0) return void socket.write(subscribePacket(filter));
      const credentials = 'Name the user and the password in --mqtt: mqtt://USER:PASSWORD@HOST:PORT.';
      fail(`${capital(nameOf(url))} refuses the connection (code ${code}). ${code >= 4 ? credentials : ''}`.trim());
    },
    [subAck]: (bytes, start) => {
      if (bytes[start + 2]! < 0x80) return accepted.resolve();
      fail(
        `${capital(nameOf(url))} refuses the subscription to ${filter}: the user of --mqtt needs the right to read it.`,
      );
    },
    [publish]: (bytes, start, end) => {
      const at = performance.now();
      const topicBytes = bytes.readUInt16BE(start);
      const euiEnd = start + 2 + topicBytes - topicEnd;
      const device = deviceOf.get(bytes.toString('latin1', euiEnd - euiDigits, euiEnd));
      if (device !== undefined) events.onUplink(device, fCntIn(bytes.subarray(start + 2 + topicBytes, end)), at);
    },
  };
  socket.on('data', readPackets(packets));
  socket.on('error', ({ message }) => fail(`${capital(nameOf(url))} is not reachable: ${message}. Check --mqtt.`));
  socket.on('close', () => fail(`${capital(nameOf(url))} closed the connection.`));
  socket.write(connectPacket(url));
  try {
    await accepted.promise;
  } catch (error) {
    events[Symbol.dispose]();
    throw error;
  }
  clearTimeout(patience);
  return events;
}

function socketTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'mqtts:') return connectTLS({ host, port: Number(port || 8883) });
  return connect({ host, port: Number(port || 1883), noDelay: true });
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);

/** First bytes of packets; the packet types are the upper four bits. */
const [connAck, publish, subAck, pingReq] = [2, 3, 9, 0xc0];
const cleanSession = 0x02;
const [hasUsername, hasPassword] = [0x80, 0x40];

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function packet(first: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let rest = body.length; length.length === 0 || rest > 0; rest >>= 7)
    length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return Buffer.concat([Buffer.from([first, ...length]), body]);
}

function connectPacket({ username, password }: URL): Buffer {
  const signIn = [username, password].filter(Boolean).map((part) => text(decodeURIComponent(part)));
  const flags = cleanSession | (username ? hasUsername : 0) | (password ? hasPassword : 0);
  const head = Buffer.concat([text('MQTT'), Buffer.from([4, flags, 0, keepAliveSeconds])]);
  return packet(0x10, head, text(`hilltop-bench-${process.pid}`), ...signIn);
}

const subscribePacket = (topic: string) => packet(0x82, Buffer.from([0, 1]), text(topic), Buffer.from([0]));

/** Cuts the stream into packets and hands each to the function of its type, with the positions of its body. */
function readPackets(handlers: Record<number, (bytes: Buffer, start: number, end: number) => void>) {
  let rest: Buffer = Buffer.alloc(0);
  return (received: Buffer) => {
    const bytes = rest.length === 0 ? received : Buffer.concat([rest, received]);
    let from = 0;
    for (let body = bodyAt(bytes, from); body; body = bodyAt(bytes, from)) {
      handlers[bytes[from]! >> 4]?.(bytes, body.start, body.end);
      from = body.end;
    }
    rest = bytes.subarray(from);
  };
}

function bodyAt(bytes: Buffer, from: number): { start: number; end: number } | null {
  let [length, at] = [0, from + 1];
  for (let shift = 0; ; shift += 7, at += 1) {
    if (at >= bytes.length) return null;
    length |= (bytes[at]! & 0x7f) << shift;
    if (bytes[at]! < 0x80) break;
  }
  const [start, end] = [at + 1, at + 1 + length];
  return end > bytes.length ? null : { start, end };
}

const fCntKey = Buffer.from('"fCnt":');
const [digit0, digit9] = [48, 57];

/** The frame counter in the JSON of an event; NaN where there is none. */
function fCntIn(json: Buffer): number {
  let at = json.indexOf(fCntKey);
  if (at < 0) return Number.NaN;
  at += fCntKey.length;
  while (json[at] === 32) at += 1;
  let value = 0;
  for (; json[at]! >= digit0 && json[at]! <= digit9; at += 1) value = value * 10 + json[at]! - digit0;
  return value;
}
