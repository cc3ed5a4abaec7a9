import type { Duplex } from 'node:stream';
import type { ErrorBoundary } from '@hilltop/network-server';

/** The fixed header of a packet (MQTT 3.1.1 and 5, §2). */
export interface PacketHeader {
  /** 1 CONNECT, 3 PUBLISH, 4 PUBACK … (§2.1.2). */
  type: number;
  /** In bytes, without the fixed header. */
  length: number;
}

interface PacketsDependencies {
  /** The largest packet at this moment, in bytes, with its fixed header. */
  mostBytes: () => number;
  /** The milliseconds to wait after the header has arrived. */
  wait: (packet: PacketHeader) => number;
  /** Processes one complete packet; the next is read when the promise resolves. */
  onPacket: (packet: Buffer) => void | Promise<void>;
  onTooLarge: () => void;
  /** Called for a length of more than four bytes (§1.5.5). */
  onMalformed: () => void;
  boundary: ErrorBoundary;
}

export interface PacketReader {
  /** Whether reading is paused while bytes of the client wait in the socket. */
  isPaused: () => boolean;
  /** Drops everything that arrives from now on. */
  stop: () => void;
}

const firstBytes = 4 << 10;

/**
 * Splits received bytes into packets and passes them on one by one. A packet that announces too many bytes is refused
 * before its body is collected: memory grows with the received bytes, not with the announced ones.
 */
export function readPackets(stream: Duplex, needed: PacketsDependencies): PacketReader {
  return new StreamPacketReader(stream, needed);
}

class StreamPacketReader implements PacketReader {
  readonly #stream: Duplex;
  readonly #needs: PacketsDependencies;
  readonly #run: () => void;
  readonly #header = Buffer.alloc(5);
  #headerBytes = 0;
  /** The size of the packet that is being read, with its fixed header; 0 until the header is complete. */
  #size = 0;
  #packet = Buffer.alloc(0);
  #collected = 0;
  /** Bytes that were read from the stream and not processed yet. */
  #unprocessed: Buffer | null = null;
  #isPaused = false;
  #isStopped = false;

  constructor(stream: Duplex, needed: PacketsDependencies) {
    this.#stream = stream;
    this.#needs = needed;
    this.#run = needed.boundary.guard(stream, () => this.#processAll());
    stream.on('readable', this.#run);
  }

  isPaused(): boolean {
    return this.#isPaused;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream.off('readable', this.#run);
    this.#packet = Buffer.alloc(0);
    // A socket that closes with unread bytes sends a reset, which discards the last packet that was written.
    this.#stream.resume();
  }

  #processAll(): void {
    const mayGoOn = () => !this.#isPaused && !this.#isStopped;
    while (mayGoOn()) {
      const bytes = this.#unprocessed ?? (this.#stream.read() as Buffer | null);
      if (!bytes) return;
      let at = 0;
      const hasMore = () => at < bytes.length || this.#isComplete();
      while (mayGoOn() && hasMore()) at = this.#size === 0 ? this.#readHeader(bytes, at) : this.#readBody(bytes, at);
      this.#unprocessed = !this.#isStopped && hasMore() ? bytes.subarray(at) : null;
    }
  }

  /** A packet without a body is complete with its header. */
  #isComplete(): boolean {
    return this.#size > 0 && this.#size === this.#headerBytes + this.#collected;
  }

  #pauseFor(work: Promise<void>): void {
    this.#isPaused = true;
    this.#needs.boundary.guard(this.#stream, () =>
      work.then(() => {
        this.#isPaused = false;
        this.#run();
      }),
    )();
  }

  /** Reads bytes of the header until it is complete; answers the position of the next byte. */
  #readHeader(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.#size === 0) {
      const byte = bytes[at++]!;
      this.#header[this.#headerBytes++] = byte;
      if (this.#headerBytes === 1) continue;
      if (byte < 0x80) this.#size = this.#headerBytes + lengthOf(this.#header, this.#headerBytes);
      else if (this.#headerBytes === 5) {
        this.stop();
        this.#needs.onMalformed();
        return at;
      }
    }
    if (this.#size === 0) return at;
    if (this.#size > this.#needs.mostBytes()) {
      this.stop();
      this.#needs.onTooLarge();
      return at;
    }
    const ms = this.#needs.wait({ type: this.#header[0]! >> 4, length: this.#size - this.#headerBytes });
    if (ms > 0) this.#pauseFor(new Promise((resolve) => void setTimeout(resolve, ms).unref()));
    return at;
  }

  /** Reads bytes of the body, and passes the packet on when it is complete; answers the position of the next byte. */
  #readBody(bytes: Buffer, from: number): number {
    const missing = this.#size - this.#headerBytes - this.#collected;
    const arrived = Math.min(missing, bytes.length - from);
    const body = bytes.subarray(from, from + arrived);
    if (arrived < missing) {
      this.#collect(body);
      return from + arrived;
    }
    const parts = this.#collected > 0 ? [this.#packet.subarray(0, this.#collected), body] : [body];
    const complete = Buffer.concat([this.#header.subarray(0, this.#headerBytes), ...parts]);
    [this.#headerBytes, this.#size, this.#collected, this.#packet] = [0, 0, 0, Buffer.alloc(0)];
    const processing = this.#needs.onPacket(complete);
    if (processing) this.#pauseFor(processing);
    return from + arrived;
  }

  #collect(bytes: Buffer): void {
    if (this.#collected + bytes.length > this.#packet.length) {
      const wanted = Math.max(firstBytes, 2 * this.#packet.length, this.#collected + bytes.length);
      const grown = Buffer.allocUnsafeSlow(Math.min(wanted, this.#size));
      this.#packet.copy(grown, 0, 0, this.#collected);
      this.#packet = grown;
    }
    bytes.copy(this.#packet, this.#collected);
    this.#collected += bytes.length;
  }
}

/** Decodes the length after the first byte: seven bits per byte, the lowest first (§1.5.5). */
function lengthOf(header: Buffer, bytes: number): number {
  let length = 0;
  for (let at = bytes - 1; at > 0; at--) length = length * 128 + (header[at]! & 0x7f);
  return length;
}
