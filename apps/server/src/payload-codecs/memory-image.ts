/** The memory of a WebAssembly module as it was between two calls. */
export interface MemoryImage {
  /** Restores the memory to the image, and then applies a recorded change. */
  restore(change?: MemoryChange): void;
  /** Restores the image, and starts to record; the returned function returns the changes since. */
  record(): () => MemoryChange;
}

export interface MemoryChange {
  readonly pieces: readonly MemoryPiece[];
  readonly bytes: number;
}

interface MemoryPiece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

const pageBytes = 4096;
const emptyPage = new Uint8Array(pageBytes);

/**
 * Copies the data and the heap. Modules of Emscripten have their stack between the two: the longest unwritten stretch belongs
 * to it. The stack is not needed between calls, and memory behind the heap is cleared by its allocation.
 */
export function takeImage(memory: WebAssembly.Memory): MemoryImage {
  const now = () => new Uint8Array(memory.buffer);
  const end = endOf(now());
  const stack = longestUnwritten(now(), end);
  const saved = [copyOf(now(), 0, stack.from), copyOf(now(), stack.to, end)];

  const restore = ({ pieces }: Pick<MemoryChange, 'pieces'> = { pieces: [] }) => {
    const bytes = now();
    for (const piece of saved) bytes.set(piece.bytes, piece.at);
    for (const piece of pieces) bytes.set(piece.bytes, piece.at);
  };

  return {
    restore,
    record: () => {
      restore();
      now().fill(0, end);
      return () => {
        const bytes = now();
        const pieces = [...saved.flatMap((piece) => changedPages(piece, bytes)), copyOf(bytes, end, endOf(bytes))];
        return { pieces, bytes: pieces.reduce((sum, piece) => sum + piece.bytes.length, 0) };
      };
    },
  };
}

const copyOf = (bytes: Uint8Array, from: number, to: number): MemoryPiece => ({
  at: from,
  bytes: bytes.slice(from, to),
});

function changedPages(before: MemoryPiece, bytes: Uint8Array): MemoryPiece[] {
  const pages: MemoryPiece[] = [];
  for (let from = 0; from < before.bytes.length; from += pageBytes) {
    const page = before.bytes.subarray(from, from + pageBytes);
    const at = before.at + from;
    if (Buffer.compare(page, bytes.subarray(at, at + page.length)) !== 0)
      pages.push(copyOf(bytes, at, at + page.length));
  }
  return pages;
}

const isEmpty = (bytes: Uint8Array, at: number) => Buffer.compare(bytes.subarray(at, at + pageBytes), emptyPage) === 0;

/** The end of the last written page. */
function endOf(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && isEmpty(bytes, end - pageBytes)) end -= pageBytes;
  return end;
}

function longestUnwritten(bytes: Uint8Array, end: number): { from: number; to: number } {
  let longest = { from: end, to: end };
  for (let at = 0, from = 0; at < end; at += pageBytes) {
    if (!isEmpty(bytes, at)) from = at + pageBytes;
    else if (at + pageBytes - from > longest.to - longest.from) longest = { from, to: at + pageBytes };
  }
  return longest;
}
