import { isMeasured, quantityOfKind } from '@hilltop/contract';

/** A decoded value with its name; nested values have the path as name. */
export interface NamedValue {
  name: string;
  text: string;
}

/**
 * The values of a decoded object in its order, up to a limit; lists are skipped. A value with a unit, `{ value: 17.3,
 * unit: '°C' }`, becomes "17.3 °C". Cayenne LPP's channel is omitted when there is only one.
 */
export function valuesOf(object: unknown, most: number): NamedValue[] {
  const found: NamedValue[] = [];
  if (isLeaf(object)) return found;
  walk(object, [], (path, value, unit) => {
    if (found.length < most)
      found.push({ name: path.join(' '), text: [textOf(value), unit].filter(Boolean).join(' ') });
  });
  return found;
}

type Visit = (path: readonly string[], value: Leaf, unit: string) => void;

function walk(value: unknown, path: readonly string[], visit: Visit, unit = ''): void {
  if (isLeaf(value)) return visit(path, value, unit);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  if (isMeasured(value)) return visit(path, value.value, value.unit);
  const entries = Object.entries(value);
  const hasChannels = entries.every(([name]) => /^\d+$/.test(name)) && path.length > 0;
  const ofChannels = hasChannels ? (quantityOfKind(path.at(-1)!)?.unit ?? '') : unit;
  const isOnly = hasChannels && entries.length === 1;
  for (const [name, inner] of entries) walk(inner, isOnly ? path : [...path, name], visit, ofChannels);
}

type Leaf = number | string | boolean;
const isLeaf = (value: unknown): value is Leaf => ['number', 'string', 'boolean'].includes(typeof value);

/** Rounds to meaningful digits: a decoder's 21.400000000000002 becomes 21.4. */
function textOf(value: Leaf): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(10))) : String(value);
}
