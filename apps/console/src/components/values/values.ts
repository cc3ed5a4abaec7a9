/** A decoded value by its name; what lies deeper has the names on the way to it. */
export interface NamedValue {
  name: string;
  text: string;
}

/**
 * The values of a decoded object in its order, at most so many; lists are none. Cayenne LPP's channel is left out where
 * there is but one.
 */
export function valuesOf(object: unknown, most: number): NamedValue[] {
  const found: NamedValue[] = [];
  if (isLeaf(object)) return found;
  walk(object, [], (path, value) => {
    if (found.length < most) found.push({ name: path.join(' '), text: textOf(value) });
  });
  return found;
}

function walk(value: unknown, path: readonly string[], visit: (path: readonly string[], value: Leaf) => void): void {
  if (isLeaf(value)) return visit(path, value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const entries = Object.entries(value);
  const isChannel = entries.length === 1 && /^\d+$/.test(entries[0]![0]) && path.length > 0;
  for (const [name, inner] of entries) walk(inner, isChannel ? path : [...path, name], visit);
}

type Leaf = number | string | boolean;
const isLeaf = (value: unknown): value is Leaf => ['number', 'string', 'boolean'].includes(typeof value);

/** No more digits than mean something: a decoder's 21.400000000000002 is 21.4. */
function textOf(value: Leaf): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(10))) : String(value);
}
