/** Controls memory of the C library, which V8 does not manage: SQLite's pages, buffers, compilers. */
export interface NativeMemory {
  /** Returns free memory to the system, wherever it is; takes a few milliseconds. */
  trim: () => void;
  /**
   * Makes the C library return freed blocks of at least this size to the system, in all threads. By default it learns
   * from the first one to keep the next: the 19 MiB of a password hash stayed in each thread that made one.
   */
  returnFrom: (bytes: number) => void;
}

/** `M_MMAP_THRESHOLD` of `malloc.h`; setting it ends the learning. */
const ofMaps = -3;

/** Undefined when the C library is not Linux's glibc, or Node cannot call it. */
export function nativeMemory(library = 'libc.so.6'): NativeMemory | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // A Node without this module, or with another version of it, can run the server as well.
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
