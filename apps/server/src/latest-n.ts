const many = 1_000;

/**
 * Sets a value of a map with at most so many entries, and removes those that were set longest ago. A large map removes
 * a tenth at once: finding the first entry of a map steps over all entries that were deleted before it.
 */
export function setLatest<K, V>(of: Map<K, V>, most: number, key: K, value: V): void {
  of.delete(key);
  of.set(key, value);
  if (of.size <= most) return;
  const left = most < many ? most : Math.floor(most * 0.9);
  for (const oldest of of.keys()) {
    if (of.size <= left) break;
    of.delete(oldest);
  }
}
