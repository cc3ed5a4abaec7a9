import type { Duplex } from 'node:stream';

/**
 * Ends a connection that announces a packet larger than `most` bytes, before any of it is collected: the parser keeps
 * whatever it is promised.
 */
export function limitPacketSize(stream: Duplex, most: number, onTooLarge: () => void): void {
  const look = packetSizes(most);
  const read = stream.read.bind(stream);
  stream.read = (size?: number) => {
    const bytes = read(size) as Buffer | null;
    if (bytes === null || look(bytes)) return bytes;
    onTooLarge();
    stream.destroy();
    return null;
  };
}

/** Follows the fixed headers of what comes by (MQTT 3.1.1 §2.2); false once one says too much. */
export function packetSizes(most: number): (bytes: Uint8Array) => boolean {
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
      if (length > most || digits > 4) return false;
      if (byte < 0x80) [left, digits] = [length, -1];
    }
    return true;
  };
}
