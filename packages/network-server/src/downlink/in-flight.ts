import type { QueueItem } from '../state/state.ts';

/** The most time between passing a frame to a gateway and its answer. */
const answeredWithinMs = 20_000;

/** Whether a gateway may have the item, or the device has it and may acknowledge it. Such an item is not withdrawn. */
export function isInFlight({ isPending, hasLeft, leftAt = 0 }: QueueItem, now: number): boolean {
  return isPending || (hasLeft && now - leftAt < answeredWithinMs);
}

/** Whether the item is not sent any more because its time is over. */
export function isExpired(item: QueueItem, now: number): boolean {
  return item.expiresAt !== undefined && item.expiresAt <= now && !isInFlight(item, now);
}

/** When the next items of a queue can expire. */
export function nextExpiry(items: readonly QueueItem[], now: number): number | null {
  const times = items.flatMap((item) => {
    const { expiresAt, isPending, leftAt = 0 } = item;
    if (expiresAt === undefined || isPending) return [];
    return isInFlight(item, now) ? Math.max(expiresAt, leftAt + answeredWithinMs) : expiresAt;
  });
  return times.length > 0 ? Math.min(...times) : null;
}
