/** What the C library can do about its own memory, which V8 knows nothing of: SQLite's pages, buffers, compilers. */
export interface NativeMemory {
  /** Returns free memory to the system, wherever it lies; a few milliseconds. */
  trim: () => void;
}

/** Undefined where the C library is another one than Linux's glibc, or Node cannot call it. */
export function nativeMemory(library = 'libc.so.6'): NativeMemory | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // A Node that has it not, or no longer like this, runs the server as well.
    const { dlopen } = process.getBuiltinModule('node:ffi');
    const opened = dlopen(library, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    return { trim: () => void opened.functions.malloc_trim(0n) };
  } catch {
    return undefined;
  }
}
