import { CompiledQuery, DeleteQueryNode, type RootOperationNode, SelectQueryNode } from 'kysely';
import type { DatabaseKind } from './engine.ts';

/** What differs in the SQL of a statement: the database, and whether it runs for one caller or for all at once. */
export interface Form {
  kind: DatabaseKind;
  /** Of an insert: its values. */
  values: (list: string) => string;
  /** Of an update: stands before `where`, and is empty for one caller. */
  from: string;
  /** The same of a delete. */
  using: string;
}

export const formForOne = (kind: DatabaseKind): Form => ({
  kind,
  values: (list) => `values (${list})`,
  from: '',
  using: '',
});

/**
 * Replaces each `$name` by a parameter of the database, and says which is where. `columnOf` names a column to read
 * instead of a parameter.
 */
export function positioned(
  text: string,
  kind: DatabaseKind,
  columnOf: (name: string) => string | false = () => false,
): { sql: string; names: string[] } {
  const names: string[] = [];
  const sql = text.replace(/\$([a-zA-Z]\w*)/g, (_, name: string) => {
    const column = columnOf(name);
    if (column !== false) return column;
    names.push(name);
    return kind === 'sqlite' ? '?' : `$${names.length}`;
  });
  return { sql, names };
}

export const verbOf = (text: string): string | undefined => /\w+/.exec(text)?.[0];

/** By its node an engine tells a statement that reads, and one that deletes. */
const nodes: Readonly<Record<string, RootOperationNode>> = {
  select: SelectQueryNode.create(),
  delete: DeleteQueryNode.create([]),
};

/** A statement whose parameters are yet to be given. */
export function compiled<Row>(sql: string): CompiledQuery<Row> {
  const raw = CompiledQuery.raw(sql) as CompiledQuery<Row>;
  return { ...raw, query: nodes[verbOf(sql) ?? ''] ?? raw.query };
}
