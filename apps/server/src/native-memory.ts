/** What the C library can do about its own memory, which V8 knows nothing of: SQLite's pages, buffers, compilers. */
export interface NativeMemory {
  /** Returns free memory to the system, wherever it lies; a few milliseconds. */
  trim: () => void;
  /**
   * From now on blocks of so many bytes and more go back to the system when they are freed, of any thread. The C library
   * would learn from the first one to keep the next: the 19 MiB of a password hash stayed in each thread that made one.
   */
  returnFrom: (bytes: number) => void;
}

/** `M_MMAP_THRESHOLD` of `malloc.h`; to set it ends the learning. */
const ofMaps = -3;

/** Undefined where the C library is another one than Linux's glibc, or Node cannot call it. */
export function nativeMemory(library = 'libc.so.6'): NativeMemory | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // A Node that has it not, or no longer like this, runs the server as well.
    const { dlopen } = process.getBuiltinModule('node:ffi');
    const { functions } = dlopen(library, {
      malloc_trim: { arguments: ['u64'], return: 'i32' },
      mallopt: { arguments: ['i32', 'i32'], return: 'i32' },
    });
    return {
      trim: () => void functions.malloc_trim(0n),
      returnFrom: (bytes) => void functions.mallopt(ofMaps, bytes),
    };
  } catch {
    return undefined;
  }
}
