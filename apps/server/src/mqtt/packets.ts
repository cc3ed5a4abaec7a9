import type { Duplex } from 'node:stream';
import type { ErrorBoundary } from '@hilltop/network-server';

/** What of a packet is known from its fixed header (MQTT 3.1.1 §2.2). */
export interface PacketHeader {
  /** 1 CONNECT, 3 PUBLISH, 4 PUBACK … (§2.2.1). */
  type: number;
  /** In bytes, without the fixed header. */
  length: number;
}

interface Limits {
  /** The largest packet now, in bytes. */
  most: () => number;
  /** How long to wait after it has begun, in milliseconds. */
  wait: (packet: PacketHeader) => number;
  onTooLarge: () => void;
  boundary: ErrorBoundary;
}

/**
 * Looks at packets before anything is collected, since the parser keeps whatever it is promised and takes all it gets at
 * once: ends a connection that announces one that is too large, and hands over no more of them than `wait` allows. What is
 * held up here stays in the socket of its sender.
 */
export function limitPackets(stream: Duplex, { most, wait, onTooLarge, boundary }: Limits): void {
  let waitMs = 0;
  const walk = packetSizes(most, (packet) => {
    waitMs = wait(packet);
    return waitMs === 0;
  });
  const read = stream.read.bind(stream) as (size?: number) => Buffer | null;
  let held: Buffer | null = null;
  let isWaiting = false;

  const next = () => {
    const chunk = held ?? read();
    held = null;
    return chunk;
  };
  function goOnIn(ms: number): void {
    isWaiting = true;
    const readOn = boundary.guard(stream, () => {
      isWaiting = false;
      if (!stream.destroyed) stream.emit('readable');
    });
    setTimeout(readOn, ms).unref();
  }

  stream.read = (size?: number | null) => {
    if (typeof size === 'number') return read(size);
    const chunks: Buffer[] = [];
    // All there is: the parser asks once each time there is something, and some streams answer one chunk.
    for (let chunk = isWaiting ? null : next(); chunk !== null; chunk = isWaiting ? null : next()) {
      const end = walk(chunk);
      if (end === undefined) {
        onTooLarge();
        stream.destroy();
        return null;
      }
      chunks.push(chunk.subarray(0, end));
      if (waitMs === 0) continue;
      if (end < chunk.length) held = chunk.subarray(end);
      goOnIn(waitMs);
      waitMs = 0;
    }
    return chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? null);
  };
}

/**
 * Follows the fixed headers of what comes by: answers how far it went, which is to the end unless `goesOn` says no to a
 * packet that has begun, and undefined once one says too much.
 */
export function packetSizes(
  most: () => number,
  goesOn: (packet: PacketHeader) => boolean = () => true,
): (bytes: Uint8Array) => number | undefined {
  /** Bytes of the current packet that are still to come. */
  let left = 0;
  /** While its length is read: how far, and how many bytes of it there were; -1 before its first byte. */
  let length = 0;
  let digits = -1;
  let type = 0;

  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (left > 0) {
        const step = Math.min(left, bytes.length - at);
        left -= step;
        at += step;
        continue;
      }
      const byte = bytes[at]!;
      at += 1;
      if (digits === -1) {
        [type, length, digits] = [byte >> 4, 0, 0];
        continue;
      }
      length += (byte & 0x7f) * 128 ** digits;
      digits += 1;
      if (length > most() || digits > 4) return undefined;
      if (byte >= 0x80) continue;
      [left, digits] = [length, -1];
      if (!goesOn({ type, length })) return at;
    }
    return bytes.length;
  };
}
