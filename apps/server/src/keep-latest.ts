/** Sets a value of a map that keeps at most so many and forgets the one that was set longest ago. */
export function keepLatest<K, V>(of: Map<K, V>, most: number, key: K, value: V): void {
  of.delete(key);
  of.set(key, value);
  if (of.size > most) of.delete(of.keys().next().value!);
}
