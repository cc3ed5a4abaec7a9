import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Below the threads that handle frames: a busy machine runs the thread a tenth as often as them. */
const lowPriority = 10;

/**
 * Lets the calling thread yield to the others of the process on a busy machine. Only Linux has priorities of threads;
 * elsewhere nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const thread = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1];
    if (thread) setPriority(Number(thread), lowPriority);
  } catch {
    // The thread works at the usual priority, too.
  }
}
