import { hash } from 'node:crypto';
import type { Secrets } from '../../secrets.ts';
import type { SourceRow } from '../source/postgres.ts';
import { digestOfName } from './row-digests.ts';
import { keyOf, type TargetRow, type TargetTable, targetTables } from './target-rows.ts';

/** The columns of a row in the order in which they are written: plain columns, then sealed ones. */
export const columnsOf = ({ values, sealed = {} }: TargetRow): string[] => [
  ...Object.keys(values),
  ...Object.keys(sealed),
];

/** Digest of the table and key of a row. */
export const nameDigestOf = ({ table, values }: TargetRow): number => digestOfName(`${table}/${keyOf(table, values)}`);

/** 48 bits of a digest of all columns of a row. */
export function contentDigestOf({ values, sealed = {} }: TargetRow): number {
  let text = JSON.stringify(values);
  for (const column of Object.keys(sealed)) text += ` ${column} ${sealed[column]!.plain.toHex()}`;
  return hash('sha256', text, 'buffer').readUIntBE(0, 6);
}

/**
 * The columns in which a stored row differs from the target row. `writtenBytes` are the sealed bytes that were just written
 * for it: they need not be opened to be compared.
 */
export function differingColumns(
  secrets: Secrets,
  target: TargetRow,
  stored: SourceRow,
  writtenBytes: Readonly<Record<string, Uint8Array>> | undefined,
): string[] {
  const { table, values, sealed = {} } = target;
  const { once = [], growing = [] }: TargetTable = targetTables[table];
  const plain = Object.keys(values).filter((column) => {
    if (once.includes(column)) return false;
    if (growing.includes(column)) return Number(stored[column]) < Number(values[column]);
    return !isSame(stored[column], values[column]);
  });
  const secret = Object.keys(sealed).filter((column) => {
    const { plain: bytes, purpose } = sealed[column]!;
    const written = writtenBytes?.[column];
    if (written) return Buffer.compare(stored[column] as Uint8Array, written) !== 0;
    return Buffer.compare(opened(secrets, stored[column], purpose), bytes) !== 0;
  });
  return secret.length === 0 ? plain : [...plain, ...secret];
}

/** A value that cannot be decrypted was not sealed with these secrets: the result differs from every plain value. */
function opened(secrets: Secrets, value: unknown, purpose: string): Uint8Array {
  try {
    return secrets.open(value as Uint8Array, purpose);
  } catch {
    return Buffer.from('does not open');
  }
}

function isSame(stored: unknown, target: unknown): boolean {
  if (stored === target) return true;
  if (stored instanceof Date && target instanceof Date) return stored.getTime() === target.getTime();
  if (typeof target === 'object' && target !== null && !(target instanceof Uint8Array))
    return JSON.stringify(stored) === JSON.stringify(target) || sortedJSON(stored) === sortedJSON(target);
  return (stored ?? null) === (target ?? null);
}

/** JSON with sorted keys, because databases do not keep their order. */
function sortedJSON(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
