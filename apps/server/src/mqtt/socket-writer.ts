import type { Duplex } from 'node:stream';

/** Writes packets into a socket, as long as the client reads them. */
export interface SocketWriter {
  /** Whether so many bytes are unsent that nothing more should be written. */
  isFull: () => boolean;
  /** Joins the packets of one iteration of the event loop into one write. */
  write: (parts: readonly Buffer[]) => void;
}

const mostUnsent = 256 << 10;

export function createSocketWriter(stream: Duplex): SocketWriter {
  let isCorked = false;
  return {
    isFull: () => stream.writableLength > mostUnsent,
    write: (parts) => {
      if (!stream.writable) return;
      if (!isCorked) {
        isCorked = true;
        stream.cork();
        setImmediate(() => {
          isCorked = false;
          stream.uncork();
        });
      }
      for (const part of parts) stream.write(part);
    },
  };
}
