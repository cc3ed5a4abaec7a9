const many = 1_000;

/**
 * Sets a value of a map that keeps at most so many and forgets the one that was set longest ago. Of many a tenth goes at
 * once: whoever looks for the first of a map steps over all that was deleted before it, thousands in a map of thousands.
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
