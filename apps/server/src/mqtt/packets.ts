import type { Duplex } from 'node:stream';
import type { ErrorBoundary } from '@hilltop/network-server';

/** What of a packet is known from its fixed header (MQTT 3.1.1 and 5, §2). */
export interface PacketHeader {
  /** 1 CONNECT, 3 PUBLISH, 4 PUBACK … (§2.1.2). */
  type: number;
  /** In bytes, without the fixed header. */
  length: number;
}

interface PacketsDependencies {
  /** The largest packet now, in bytes, with its fixed header. */
  most: () => number;
  /** How long to wait after its header has arrived, in milliseconds. */
  wait: (packet: PacketHeader) => number;
  /** Takes one whole packet; the next is read when the answer resolves. */
  take: (packet: Buffer) => void | Promise<void>;
  onTooLarge: () => void;
  /** A length with more than four bytes (§1.5.5). */
  onMalformed: () => void;
  boundary: ErrorBoundary;
}

export interface PacketReader {
  /** Nothing is read now: what the client sends stays in its socket. */
  isPaused: () => boolean;
  /** From now on what arrives is dropped. */
  stop: () => void;
}

const firstBytes = 4 << 10;

/**
 * Cuts what arrives into packets and hands them over one by one. A packet that announces too much is refused before
 * anything of it is collected, and memory grows with what arrived, not with what was announced.
 */
export function readPackets(
  stream: Duplex,
  { most, wait, take, onTooLarge, onMalformed, boundary }: PacketsDependencies,
): PacketReader {
  const header = Buffer.alloc(5);
  let headerBytes = 0;
  /** Of the packet that is collected, with its fixed header; 0 while the header is not complete. */
  let size = 0;
  let packet = Buffer.alloc(0);
  let collected = 0;
  /** What was read from the stream and not looked at yet. */
  let chunk: Buffer | null = null;
  let isPaused = false;
  let isStopped = false;

  function pauseFor(work: Promise<void>): void {
    isPaused = true;
    boundary.guard(stream, () =>
      work.then(() => {
        isPaused = false;
        run();
      }),
    )();
  }

  /** Reads bytes of the header until it is complete; answers whether the next part may be read now. */
  function readHeader(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && size === 0) {
      const byte = bytes[at++]!;
      header[headerBytes++] = byte;
      if (headerBytes === 1) continue;
      if (byte < 0x80) size = headerBytes + lengthOf(header, headerBytes);
      else if (headerBytes === 5) {
        stop();
        onMalformed();
        return at;
      }
    }
    if (size === 0) return at;
    if (size > most()) {
      stop();
      onTooLarge();
      return at;
    }
    const ms = wait({ type: header[0]! >> 4, length: size - headerBytes });
    if (ms > 0) pauseFor(new Promise((resolve) => void setTimeout(resolve, ms).unref()));
    return at;
  }

  /** Takes bytes of the body; hands the packet over when it is complete. */
  function readBody(bytes: Buffer, from: number): number {
    const missing = size - headerBytes - collected;
    const there = Math.min(missing, bytes.length - from);
    if (there < missing) {
      collect(bytes.subarray(from, from + there));
      return from + there;
    }
    const body = bytes.subarray(from, from + there);
    const parts = collected > 0 ? [packet.subarray(0, collected), body] : [body];
    const whole = Buffer.concat([header.subarray(0, headerBytes), ...parts]);
    [headerBytes, size, collected, packet] = [0, 0, 0, Buffer.alloc(0)];
    const taken = take(whole);
    if (taken) pauseFor(taken);
    return from + there;
  }

  function collect(bytes: Buffer): void {
    if (collected + bytes.length > packet.length) {
      const wanted = Math.max(firstBytes, 2 * packet.length, collected + bytes.length);
      const grown = Buffer.allocUnsafeSlow(Math.min(wanted, size));
      packet.copy(grown, 0, 0, collected);
      packet = grown;
    }
    bytes.copy(packet, collected);
    collected += bytes.length;
  }

  const run = boundary.guard(stream, () => {
    while (!isPaused && !isStopped) {
      const bytes = chunk ?? (stream.read() as Buffer | null);
      if (!bytes) return;
      let at = 0;
      const goesOn = () => at < bytes.length || isComplete();
      while (!isPaused && !isStopped && goesOn()) at = size === 0 ? readHeader(bytes, at) : readBody(bytes, at);
      chunk = !isStopped && goesOn() ? bytes.subarray(at) : null;
    }
  });

  /** A packet without a body is complete with its header. */
  const isComplete = () => size > 0 && size === headerBytes + collected;

  function stop(): void {
    isStopped = true;
    stream.off('readable', run);
    packet = Buffer.alloc(0);
    // What is unread when a socket closes takes its last answer with it.
    stream.resume();
  }

  stream.on('readable', run);
  return { isPaused: () => isPaused, stop };
}

/** Seven bits a byte after the first, the lowest first (§1.5.5). */
function lengthOf(header: Buffer, bytes: number): number {
  let length = 0;
  for (let at = bytes - 1; at > 0; at--) length = length * 128 + (header[at]! & 0x7f);
  return length;
}
