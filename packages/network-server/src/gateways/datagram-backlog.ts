import type { Clock } from '../platform/runtime.ts';
import type { KernelQueue } from './kernel-queue.ts';

/** 8,000 frames with their JSON. */
const mostTakenBytes = 2 * 1024 * 1024;
/** Of the 8 MB that the socket asks for. The kernel counts a datagram with three times its bytes. */
const mostUnreadBytes = 1024 * 1024;
const lookEveryMs = 100;
/** Fewer since the last look: nothing can wait. */
const fewDatagrams = 20;

/** Whether more datagrams come than are handled: what was taken waits for the disk, or the kernel holds what is unread. */
export function createDatagramBacklog(needs: {
  clock: Clock;
  takenBytes: () => number;
  readQueue: () => Promise<KernelQueue | null>;
}) {
  const { clock } = needs;
  let unreadBytes = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let since = 0;

  return {
    /** One datagram was read. */
    note(): void {
      since += 1;
      const now = clock.monotonicMs();
      if (now - lookedAt < lookEveryMs) return;
      lookedAt = now;
      if (since < fewDatagrams) unreadBytes = 0;
      else void needs.readQueue().then((queue) => (unreadBytes = queue?.waitingBytes ?? 0));
      since = 0;
    },
    isBehind: (): boolean => needs.takenBytes() > mostTakenBytes || unreadBytes > mostUnreadBytes,
  };
}
