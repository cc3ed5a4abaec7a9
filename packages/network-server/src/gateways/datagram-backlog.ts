import type { Clock } from '../platform/runtime.ts';
import type { KernelQueue } from './kernel-queue.ts';

/** 8,000 frames with their JSON. */
const mostTakenBytes = 2 * 1024 * 1024;
/** Of the 8 MB of the socket. The kernel counts three times the bytes of a datagram. */
const mostUnreadBytes = 1024 * 1024;
const lookEveryMs = 100;
/** Fewer datagrams since the last look cannot fill the queue. */
const fewDatagrams = 20;

/**
 * Whether datagrams arrive faster than they are handled: accepted ones wait for storage, or the queue of the kernel
 * grows.
 */
export function createDatagramBacklog(needs: {
  clock: Clock;
  acceptedBytes: () => number;
  readQueue: () => Promise<KernelQueue | null>;
}) {
  const { clock } = needs;
  let unreadBytes = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let since = 0;

  return {
    /** Call it for each datagram that was read. */
    note(): void {
      since += 1;
      const now = clock.monotonicMs();
      if (now - lookedAt < lookEveryMs) return;
      lookedAt = now;
      if (since < fewDatagrams) unreadBytes = 0;
      else void needs.readQueue().then((queue) => (unreadBytes = queue?.waitingBytes ?? 0));
      since = 0;
    },
    isBehind: (): boolean => needs.acceptedBytes() > mostTakenBytes || unreadBytes > mostUnreadBytes,
  };
}
