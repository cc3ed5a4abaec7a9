/** The memory of a WebAssembly module as it was between two calls of it. */
export interface MemoryImage {
  /** Puts back all that calls can see, whatever they have done to it, and what had changed at another time. */
  restore(change?: MemoryChange): void;
  /** Begins to watch what changes from the image on; answers what has changed by then. */
  watch(): () => MemoryChange;
}

export interface MemoryChange {
  readonly pieces: readonly Piece[];
  readonly bytes: number;
}

interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

const pageBytes = 4096;
const emptyPage = new Uint8Array(pageBytes);

/**
 * The module has its stack between its data and its heap, as all by Emscripten have: the longest stretch that nobody has
 * written to is of the stack. Of a stack nothing is needed between calls, and what lies behind the heap is cleaned by
 * whoever gets it: neither is kept.
 */
export function takeImage(memory: WebAssembly.Memory): MemoryImage {
  const now = () => new Uint8Array(memory.buffer);
  const end = endOf(now());
  const stack = longestEmptiness(now(), end);
  const kept = [copyOf(now(), 0, stack.from), copyOf(now(), stack.to, end)];

  const restore = ({ pieces }: Pick<MemoryChange, 'pieces'> = { pieces: [] }) => {
    const bytes = now();
    for (const piece of kept) bytes.set(piece.bytes, piece.at);
    for (const piece of pieces) bytes.set(piece.bytes, piece.at);
  };

  return {
    restore,
    watch: () => {
      restore();
      now().fill(0, end);
      return () => {
        const bytes = now();
        const pieces = [...kept.flatMap((piece) => pagesUnlike(piece, bytes)), copyOf(bytes, end, endOf(bytes))];
        return { pieces, bytes: pieces.reduce((sum, piece) => sum + piece.bytes.length, 0) };
      };
    },
  };
}

const copyOf = (bytes: Uint8Array, from: number, to: number): Piece => ({ at: from, bytes: bytes.slice(from, to) });

function pagesUnlike(before: Piece, bytes: Uint8Array): Piece[] {
  const pages: Piece[] = [];
  for (let from = 0; from < before.bytes.length; from += pageBytes) {
    const page = before.bytes.subarray(from, from + pageBytes);
    const at = before.at + from;
    if (Buffer.compare(page, bytes.subarray(at, at + page.length)) !== 0)
      pages.push(copyOf(bytes, at, at + page.length));
  }
  return pages;
}

const isEmpty = (bytes: Uint8Array, at: number) => Buffer.compare(bytes.subarray(at, at + pageBytes), emptyPage) === 0;

/** Behind the last page that somebody has written to. */
function endOf(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && isEmpty(bytes, end - pageBytes)) end -= pageBytes;
  return end;
}

function longestEmptiness(bytes: Uint8Array, end: number): { from: number; to: number } {
  let longest = { from: end, to: end };
  for (let at = 0, from = 0; at < end; at += pageBytes) {
    if (!isEmpty(bytes, at)) from = at + pageBytes;
    else if (at + pageBytes - from > longest.to - longest.from) longest = { from, to: at + pageBytes };
  }
  return longest;
}
