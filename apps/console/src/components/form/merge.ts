interface Merged<T> {
  values: T;
  /** Fields that both sides changed differently; the user's edit stays. */
  conflicts: string[];
}

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Applies the edits that the user made to `base` to the current state of the server (a three-way merge). */
export function merge<T>(mine: T, base: T, theirs: T, path = ''): Merged<T> {
  if (isSame(mine, base)) return { values: theirs, conflicts: [] };
  if (isSame(theirs, base) || isSame(mine, theirs)) return { values: mine, conflicts: [] };
  if (!isObject(mine) || !isObject(base) || !isObject(theirs)) return { values: mine, conflicts: [path] };
  const merged = Object.keys({ ...theirs, ...mine }).map(
    (key) => [key, merge(mine[key], base[key], theirs[key], path ? `${path}.${key}` : key)] as const,
  );
  return {
    values: Object.fromEntries(merged.map(([key, { values }]) => [key, values])) as T,
    conflicts: merged.flatMap(([, { conflicts }]) => conflicts),
  };
}
