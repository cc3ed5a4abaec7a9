/**
 * Gives each entry in sight an element to be drawn in: the one it has, or one whose entry went out of sight, or else a new
 * one. Filling an element anew costs the page a third of making one, and a busy log replaces all rows ten times a second.
 */
export function createRowSlots() {
  let taken = new Map<string, number>();
  /** The seat of each key, in their order, each seat once. The same keys are answered the same. */
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
