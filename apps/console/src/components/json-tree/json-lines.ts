export type JsonKind = 'text' | 'number' | 'boolean' | 'null' | 'branch';

export interface JsonLine {
  /** The member names from the root down, unique in a tree. */
  readonly path: string;
  readonly depth: number;
  /** The member's name or index; null for the root of a scalar. */
  readonly name: string | null;
  readonly kind: JsonKind;
  readonly text: string;
  /** Null for a line that cannot be folded. */
  readonly isFolded: boolean | null;
}

/** The visible lines of a JSON value from top to bottom, without the members of folded branches. */
export function flatten(value: unknown, folded: ReadonlySet<string>): JsonLine[] {
  if (!isBranch(value)) return [scalar('$', 0, null, value)];
  return members(value).flatMap(([name, member]) => linesOf(member, `$.${name}`, 0, name, folded));
}

function linesOf(value: unknown, path: string, depth: number, name: string, folded: ReadonlySet<string>): JsonLine[] {
  if (!isBranch(value)) return [scalar(path, depth, name, value)];
  const inner = members(value);
  const isFolded = folded.has(path);
  const text = branchText(value, inner.length, isFolded);
  const line: JsonLine = { path, depth, name, kind: 'branch', text, isFolded: inner.length === 0 ? null : isFolded };
  if (isFolded) return [line];
  return [line, ...inner.flatMap(([key, member]) => linesOf(member, `${path}.${key}`, depth + 1, key, folded))];
}

function scalar(path: string, depth: number, name: string | null, value: unknown): JsonLine {
  const kind = value === null || value === undefined ? 'null' : typeof value === 'string' ? 'text' : typeof value;
  const known: JsonKind = kind === 'number' || kind === 'boolean' || kind === 'null' ? kind : 'text';
  return {
    path,
    depth,
    name,
    kind: known,
    text: known === 'text' ? JSON.stringify(String(value)) : String(value),
    isFolded: null,
  };
}

function branchText(value: object, size: number, isFolded: boolean): string {
  const isList = Array.isArray(value);
  if (size === 0) return isList ? '[ ]' : '{ }';
  if (!isFolded) return '';
  return isList ? `[ ${size} ]` : `{ ${size} }`;
}

function members(value: object): [string, unknown][] {
  return Object.entries(value);
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
