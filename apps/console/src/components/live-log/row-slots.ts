/**
 * Assigns each visible entry a DOM element to reuse: its own, or that of an entry that went out of sight, or a new one.
 * Updating an element costs a third of creating one, and a busy log replaces all rows ten times a second.
 */
export function createRowSlots() {
  let taken = new Map<string, number>();
  /** The slot of each key, in the order of the keys, each slot once. The same keys return the same result. */
  return (keys: readonly string[]): number[] => {
    const next = new Map<string, number>();
    for (const key of keys) if (taken.has(key)) next.set(key, taken.get(key)!);
    const kept = new Set(next.values());
    const free = [...taken.values()].filter((seat) => !kept.has(seat));
    let fresh = 1 + Math.max(-1, ...taken.values());
    for (const key of keys) if (!next.has(key)) next.set(key, free.shift() ?? fresh++);
    taken = next;
    return keys.map((key) => next.get(key)!);
  };
}
