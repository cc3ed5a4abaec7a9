import type { Duplex } from 'node:stream';

/**
 * Ends a connection that announces a packet larger than `most` bytes now, before any of it is collected: the parser keeps
 * whatever it is promised.
 */
export function limitPacketSize(stream: Duplex, most: () => number, onTooLarge: () => void): void {
  const look = packetSizes(most);
  const read = stream.read.bind(stream) as (size?: number) => Buffer | null;
  stream.read = (size?: number | null) => {
    if (typeof size === 'number') return read(size);
    const chunks: Buffer[] = [];
    // All there is: the parser asks once each time there is something, and some streams answer one chunk.
    for (let chunk = read(); chunk !== null; chunk = read()) {
      if (!look(chunk)) {
        onTooLarge();
        stream.destroy();
        return null;
      }
      chunks.push(chunk);
    }
    return chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? null);
  };
}

/** Follows the fixed headers of what comes by (MQTT 3.1.1 §2.2); false once one says too much. */
export function packetSizes(most: () => number): (bytes: Uint8Array) => boolean {
  /** Bytes of the current packet that are still to come. */
  let left = 0;
  /** While its length is read: how far, and how many bytes of it there were; -1 before its first byte. */
  let length = 0;
  let digits = -1;

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
        [length, digits] = [0, 0];
        continue;
      }
      length += (byte & 0x7f) * 128 ** digits;
      digits += 1;
      if (length > most() || digits > 4) return false;
      if (byte < 0x80) [left, digits] = [length, -1];
    }
    return true;
  };
}
