import type { Duplex } from 'node:stream';

/** Writes packets into a socket, as long as it takes them. */
export interface SocketWriter {
  /** So much is unsent that nothing more should come. */
  isFull: () => boolean;
  /** What is written in one turn of the event loop leaves in one piece. */
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
