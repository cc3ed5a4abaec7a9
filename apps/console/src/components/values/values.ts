import { isMeasured, type Quantities, quantityOfKind } from '@hilltop/contract';

/** A decoded value with its name; nested values have the path as name. */
export interface NamedValue {
  name: string;
  text: string;
}

/**
 * The values of a decoded object in its order, up to a limit; lists are skipped. A value with a unit, `{ value: 17.3,
 * unit: '°C' }`, or with a unit from the codec, becomes "17.3 °C". Cayenne LPP's channel is omitted when there is
 * only one.
 */
export function valuesOf(object: unknown, most: number, quantities: Quantities = {}): NamedValue[] {
  const found: NamedValue[] = [];
  if (isLeaf(object)) return found;
  walk(object, { path: [], key: '', unit: '' }, ({ path, key, unit }, value) => {
    if (found.length >= most) return;
    const fromCodec = Object.hasOwn(quantities, key) && quantities[key]?.unit;
    found.push({ name: path.join(' '), text: [textOf(value), fromCodec || unit].filter(Boolean).join(' ') });
  });
  return found;
}

interface Position {
  /** The shown names. */
  path: readonly string[];
  /** All names, as in `Quantities`. */
  key: string;
  unit: string;
}
type Visit = (position: Position, value: Leaf) => void;

function walk(value: unknown, position: Position, visit: Visit): void {
  const { path, key, unit } = position;
  if (isLeaf(value)) return visit(position, value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  if (isMeasured(value)) return visit({ ...position, unit: value.unit }, value.value);
  const entries = Object.entries(value);
  const hasChannels = entries.every(([name]) => /^\d+$/.test(name)) && path.length > 0;
  const ofChannels = hasChannels ? (quantityOfKind(path.at(-1)!)?.unit ?? '') : unit;
  const isOnly = hasChannels && entries.length === 1;
  for (const [name, inner] of entries) {
    const inside = {
      path: isOnly ? path : [...path, name],
      key: key === '' ? name : `${key}.${name}`,
      unit: ofChannels,
    };
    walk(inner, inside, visit);
  }
}

type Leaf = number | string | boolean;
const isLeaf = (value: unknown): value is Leaf => ['number', 'string', 'boolean'].includes(typeof value);

/** Six digits are more than sensors measure, and a decoder's 21.400000000000002 becomes 21.4. Integers stay whole. */
function textOf(value: Leaf): string {
  return typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);
}

/** The shown name of each field of a device, which is the one that `valuesOf` gives its values. */
export function namesOfFields(fields: readonly string[]): ReadonlyMap<string, string> {
  const below = new Map<string, Set<string>>();
  for (const field of fields) {
    const parts = field.split('.');
    for (const [at, part] of parts.entries()) {
      const path = parts.slice(0, at).join('.');
      below.set(path, (below.get(path) ?? new Set()).add(part));
    }
  }
  const nameOf = (field: string) => {
    const parts = field.split('.');
    const isOnlyChannel = (part: string, at: number) =>
      at > 0 && /^\d+$/.test(part) && below.get(parts.slice(0, at).join('.'))!.size === 1;
    return parts.filter((part, at) => !isOnlyChannel(part, at)).join(' ');
  };
  return new Map(fields.map((field) => [field, nameOf(field)]));
}
